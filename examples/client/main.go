// Command client asks a running `anchorage serve` for the topics of a basket, and for what goes with its first item:
//
//	go run . http://127.0.0.1:8080 bread butter
//
// Package api, its client, is generated from the server's description.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"

	"anchorage/examples/client/api"
)

func main() {
	if len(os.Args) < 3 {
		log.Fatal("usage: client ADDRESS ITEM...")
	}
	if err := ask(context.Background(), os.Stdout, os.Args[1], os.Args[2:]); err != nil {
		log.Fatal(err)
	}
}

// ask prints what the server at an address says of a basket.
func ask(ctx context.Context, w io.Writer, address string, basket []string) error {
	client, err := api.NewClientWithResponses(address)
	if err != nil {
		return err
	}
	request, err := documentOf(basket)
	if err != nil {
		return err
	}
	transformed, err := client.TransformWithResponse(ctx, *request)
	if err != nil {
		return err
	}
	if transformed.JSON200 == nil {
		return fmt.Errorf("the topics of the basket: %s: %s", transformed.Status(), transformed.Body)
	}
	for _, topic := range transformed.JSON200.Documents[0].Topics {
		fmt.Fprintf(w, "topic %2d  %5.1f%%\n", topic.Topic, 100*topic.Share)
	}
	similar, err := client.GetSimilarWithResponse(ctx, basket[0], &api.GetSimilarParams{})
	if err != nil {
		return err
	}
	if similar.JSON200 == nil {
		return fmt.Errorf("items like %s: %s: %s", basket[0], similar.Status(), similar.Body)
	}
	for _, item := range similar.JSON200.Items {
		fmt.Fprintf(w, "like %s: %s  %.2f\n", basket[0], item.Item, item.Similarity)
	}
	return nil
}

// documentOf returns a request for the topics of a basket.
func documentOf(basket []string) (*api.TransformRequest, error) {
	ids := make(api.DocumentItems0, len(basket))
	for i, item := range basket {
		if err := ids[i].FromDocumentItems00(item); err != nil {
			return nil, err
		}
	}
	var document api.Document
	if err := document.Items.FromDocumentItems0(ids); err != nil {
		return nil, err
	}
	return &api.TransformRequest{Documents: []api.Document{document}}, nil
}
