# The program in an image of its own: docker build -t anchorage . (docs/python.md, "Containers").
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o /anchorage ./cmd/anchorage

FROM scratch
# Object stores need certificates of authorities.
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /anchorage /anchorage
ENV TMPDIR=/data
USER 65532:65532
WORKDIR /data
ENTRYPOINT ["/anchorage"]
