// Calls of small_frames.proto on stock grpc-go, over one connection as long as that lives.
//
//	client ADDRESS pull|push|talk STREAMS CALLS fast|slow
//
// It prints `calls=… failed=… connections=…`: more than one connection means that one was ended.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"smallframes"
)

// A call takes less than a second; the calls of a row that all fail by it must end before the row is given up.
const callTimeout = 20 * time.Second

var piece = wrapperspb.Bytes(make([]byte, smallframes.PayloadBytes))

// sendAll sends the messages of a stream and closes it. An error of the stream is told by the side that receives.
func sendAll(s grpc.ClientStream, count int) {
	for range count {
		if s.SendMsg(piece) != nil {
			return
		}
	}
	_ = s.CloseSend()
}

// count reads to the end.
func count(s grpc.ClientStream, slow bool) (int, error) {
	for seen := 0; ; seen++ {
		err := s.RecvMsg(new(wrapperspb.BytesValue))
		if err == io.EOF {
			return seen, nil
		}
		if err != nil {
			return seen, err
		}
		smallframes.Pace(slow, seen+1)
	}
}

func call(conn *grpc.ClientConn, desc *grpc.StreamDesc, slow bool) error {
	ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
	defer cancel()
	if slow {
		ctx = metadata.AppendToOutgoingContext(ctx, "slow", "1")
	}
	s, err := conn.NewStream(ctx, desc, "/"+smallframes.Service+"/"+desc.StreamName)
	if err != nil {
		return err
	}
	seen := 0
	switch desc.StreamName {
	case "Pull":
		sendAll(s, 1)
		seen, err = count(s, slow)
	case "Push":
		sendAll(s, smallframes.Messages)
		answer := new(wrapperspb.BytesValue)
		if err = s.RecvMsg(answer); err == nil {
			seen, err = strconv.Atoi(string(answer.Value))
		}
	case "Talk":
		go sendAll(s, smallframes.Messages)
		seen, err = count(s, slow)
	}
	if err == nil && seen != smallframes.Messages {
		err = fmt.Errorf("%d of %d messages", seen, smallframes.Messages)
	}
	return err
}

func main() {
	if len(os.Args) != 6 {
		log.Fatal("usage: client ADDRESS pull|push|talk STREAMS CALLS fast|slow")
	}
	desc, known := map[string]*grpc.StreamDesc{
		"pull": &smallframes.Pull, "push": &smallframes.Push, "talk": &smallframes.Talk,
	}[os.Args[2]]
	streams, err1 := strconv.Atoi(os.Args[3])
	calls, err2 := strconv.Atoi(os.Args[4])
	if !known || err1 != nil || err2 != nil {
		log.Fatalf("not understood: %v", os.Args[2:])
	}
	var dialed, failed atomic.Int64
	dial := func(ctx context.Context, address string) (net.Conn, error) {
		dialed.Add(1)
		return new(net.Dialer).DialContext(ctx, "tcp", address)
	}
	conn, err := grpc.NewClient("passthrough:///"+os.Args[1],
		grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithContextDialer(dial))
	if err != nil {
		log.Fatal(err)
	}
	var callers sync.WaitGroup
	for range streams {
		callers.Go(func() {
			for range calls {
				if err := call(conn, desc, os.Args[5] == "slow"); err != nil {
					failed.Add(1)
					log.Print(err)
				}
			}
		})
	}
	callers.Wait()
	fmt.Printf("calls=%d failed=%d connections=%d\n", streams*calls, failed.Load(), dialed.Load())
}
