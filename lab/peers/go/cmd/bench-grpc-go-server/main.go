// bench-grpc-go-server PORT: the service of the bench lab on grpc-go, with the options that a new server has.
package main

import (
	"context"
	"io"
	"log"
	"net"
	"os"

	"google.golang.org/grpc"

	pb "trunkline.dev/lab/benchv1"
)

// How many messages wait between a task that produces and the stream. All peers use the same.
const queueMessages = 16

type bench struct {
	pb.UnimplementedBenchServiceServer
}

func (bench) Echo(_ context.Context, message *pb.Msg) (*pb.Msg, error) {
	return &pb.Msg{Payload: message.Payload}, nil
}

func (bench) ServerStream(request *pb.StreamReq, stream grpc.ServerStreamingServer[pb.Msg]) error {
	payload := make([]byte, request.Size)
	if request.Mode == 0 {
		for range request.Count {
			if err := stream.Send(&pb.Msg{Payload: payload}); err != nil {
				return err
			}
		}
		return nil
	}
	messages := make(chan *pb.Msg, queueMessages)
	go func() {
		defer close(messages)
		for range request.Count {
			select {
			case messages <- &pb.Msg{Payload: payload}:
			case <-stream.Context().Done():
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

func (bench) ClientStream(stream grpc.ClientStreamingServer[pb.Msg, pb.Summary]) error {
	summary := &pb.Summary{}
	for {
		message, err := stream.Recv()
		if err == io.EOF {
			return stream.SendAndClose(summary)
		}
		if err != nil {
			return err
		}
		summary.Count++
		summary.Bytes += uint64(len(message.Payload))
	}
}

func (bench) Bidi(stream grpc.BidiStreamingServer[pb.Msg, pb.Msg]) error {
	for {
		message, err := stream.Recv()
		if err == io.EOF {
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
		log.Fatal("usage: bench-grpc-go-server PORT")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	server := grpc.NewServer()
	pb.RegisterBenchServiceServer(server, bench{})
	log.Fatal(server.Serve(listener))
}
