// bench-connect-go-server PORT: the service of the bench lab on connect-go over net/http.
package main

import (
	"context"
	"errors"
	"io"
	"log"
	"net/http"
	"os"

	"connectrpc.com/connect"

	pb "trunkline.dev/lab/benchv1"
	"trunkline.dev/lab/benchv1/benchv1connect"
)

// How many messages wait between a task that produces and the stream. All peers use the same.
const queueMessages = 16

type bench struct{}

func (bench) Echo(_ context.Context, request *connect.Request[pb.Msg]) (*connect.Response[pb.Msg], error) {
	return connect.NewResponse(&pb.Msg{Payload: request.Msg.Payload}), nil
}

func (bench) ServerStream(ctx context.Context, request *connect.Request[pb.StreamReq], stream *connect.ServerStream[pb.Msg]) error {
	payload := make([]byte, request.Msg.Size)
	if request.Msg.Mode == 0 {
		for range request.Msg.Count {
			if err := stream.Send(&pb.Msg{Payload: payload}); err != nil {
				return err
			}
		}
		return nil
	}
	messages := make(chan *pb.Msg, queueMessages)
	go func() {
		defer close(messages)
		for range request.Msg.Count {
			select {
			case messages <- &pb.Msg{Payload: payload}:
			case <-ctx.Done():
				return
			}
		}
	}()
	for message := range messages {
		if err := stream.Send(message); err != nil {
			return err
		}
	}
	return nil
}

func (bench) ClientStream(_ context.Context, stream *connect.ClientStream[pb.Msg]) (*connect.Response[pb.Summary], error) {
	summary := &pb.Summary{}
	for stream.Receive() {
		summary.Count++
		summary.Bytes += uint64(len(stream.Msg().Payload))
	}
	if err := stream.Err(); err != nil {
		return nil, err
	}
	return connect.NewResponse(summary), nil
}

func (bench) Bidi(_ context.Context, stream *connect.BidiStream[pb.Msg, pb.Msg]) error {
	for {
		message, err := stream.Receive()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := stream.Send(&pb.Msg{Payload: message.Payload}); err != nil {
			return err
		}
	}
}

func main() {
	if len(os.Args) < 2 {
		log.Fatal("usage: bench-connect-go-server PORT")
	}
	mux := http.NewServeMux()
	mux.Handle(benchv1connect.NewBenchServiceHandler(bench{}))
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetUnencryptedHTTP2(true)
	server := &http.Server{Addr: "127.0.0.1:" + os.Args[1], Handler: mux, Protocols: protocols}
	log.Fatal(server.ListenAndServe())
}
