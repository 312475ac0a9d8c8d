package kernel

//go:generate sh -c "cd avo && go run . -out ../kernel_amd64.s -stubs ../kernel_amd64.go -pkg kernel"
