// A server of small_frames.proto on stock grpc-go. It prints where it listens, ends with its standard input, and then says how many
// connections it has accepted.
package main

import (
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"strconv"
	"sync/atomic"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"smallframes"
)

type counting struct {
	net.Listener
	accepted atomic.Int64
}

func (c *counting) Accept() (net.Conn, error) {
	conn, err := c.Listener.Accept()
	if err == nil {
		c.accepted.Add(1)
	}
	return conn, err
}

func isSlow(s grpc.ServerStream) bool {
	md, _ := metadata.FromIncomingContext(s.Context())
	return len(md.Get("slow")) > 0
}

func pull(_ any, s grpc.ServerStream) error {
	piece := new(wrapperspb.BytesValue)
	if err := s.RecvMsg(piece); err != nil {
		return err
	}
	for range smallframes.Messages {
		if err := s.SendMsg(piece); err != nil {
			return err
		}
	}
	return nil
}

// each hands over every message until the caller has sent all.
func each(s grpc.ServerStream, do func(*wrapperspb.BytesValue) error) error {
	slow := isSlow(s)
	for seen := 1; ; seen++ {
		piece := new(wrapperspb.BytesValue)
		err := s.RecvMsg(piece)
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = do(piece)
		}
		if err != nil {
			return err
		}
		smallframes.Pace(slow, seen)
	}
}

func push(_ any, s grpc.ServerStream) error {
	count := 0
	err := each(s, func(*wrapperspb.BytesValue) error {
		count++
		return nil
	})
	if err != nil {
		return err
	}
	return s.SendMsg(wrapperspb.Bytes([]byte(strconv.Itoa(count))))
}

func talk(_ any, s grpc.ServerStream) error {
	return each(s, func(piece *wrapperspb.BytesValue) error { return s.SendMsg(piece) })
}

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	counted := &counting{Listener: listener}
	with := func(desc grpc.StreamDesc, handler grpc.StreamHandler) grpc.StreamDesc {
		desc.Handler = handler
		return desc
	}
	server := grpc.NewServer()
	server.RegisterService(&grpc.ServiceDesc{
		ServiceName: smallframes.Service,
		HandlerType: (*any)(nil),
		Streams: []grpc.StreamDesc{
			with(smallframes.Pull, pull), with(smallframes.Push, push), with(smallframes.Talk, talk),
		},
	}, struct{}{})
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		fmt.Printf("connections=%d\n", counted.accepted.Load())
		os.Exit(0)
	}()
	fmt.Printf("listening on http://%s\n", listener.Addr())
	log.Fatal(server.Serve(counted))
}
