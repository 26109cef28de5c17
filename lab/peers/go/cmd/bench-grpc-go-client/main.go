// bench-grpc-go-client ADDRESS SHAPE CONNECTIONS CALLERS SECONDS MESSAGES: what a call costs a client on grpc-go.
// It counts and prints as all clients of the lab do.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	pb "trunkline.dev/lab/benchv1"
)

// How long calls run before they count.
const warmUp = 400 * time.Millisecond

var units, errors atomic.Int64

func cpuSeconds() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		log.Fatal(err)
	}
	seconds := func(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }
	return seconds(usage.Utime) + seconds(usage.Stime)
}

func call(client pb.BenchServiceClient, shape string, messages int) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	message := &pb.Msg{Payload: make([]byte, 100)}
	switch shape {
	case "unary":
		if _, err := client.Echo(ctx, message); err != nil {
			return err
		}
		units.Add(1)
		return nil
	case "sstream":
		stream, err := client.ServerStream(ctx, &pb.StreamReq{Count: uint32(messages), Size: 100})
		if err != nil {
			return err
		}
		return count(stream.Recv)
	case "cstream":
		stream, err := client.ClientStream(ctx)
		if err != nil {
			return err
		}
		for range messages {
			if err := stream.Send(message); err != nil {
				break // CloseAndRecv says why.
			}
		}
		if _, err := stream.CloseAndRecv(); err != nil {
			return err
		}
		units.Add(int64(messages))
		return nil
	default:
		stream, err := client.Bidi(ctx)
		if err != nil {
			return err
		}
		go func() {
			for range messages {
				if stream.Send(message) != nil {
					return
				}
			}
			stream.CloseSend()
		}()
		return count(stream.Recv)
	}
}

// Receives to the end of a stream.
func count(receive func() (*pb.Msg, error)) error {
	for {
		_, err := receive()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		units.Add(1)
	}
}

func number(word string) int {
	n, err := strconv.Atoi(word)
	if err != nil {
		log.Fatal(err)
	}
	return n
}

func main() {
	if len(os.Args) < 7 {
		log.Fatal("usage: bench-grpc-go-client ADDRESS SHAPE CONNECTIONS CALLERS SECONDS MESSAGES")
	}
	address, shape := os.Args[1], os.Args[2]
	connections, callers, messages := number(os.Args[3]), number(os.Args[4]), number(os.Args[6])
	seconds, err := strconv.ParseFloat(os.Args[5], 64)
	if err != nil {
		log.Fatal(err)
	}
	var clients []pb.BenchServiceClient
	for range connections {
		plain := grpc.WithTransportCredentials(insecure.NewCredentials())
		connection, err := grpc.NewClient("passthrough:///"+address, plain)
		if err != nil {
			log.Fatal(err)
		}
		clients = append(clients, pb.NewBenchServiceClient(connection))
	}
	for caller := range callers {
		client := clients[caller%connections]
		go func() {
			for {
				if err := call(client, shape, messages); err != nil {
					if errors.Add(1) == 1 {
						fmt.Fprintln(os.Stderr, "first error:", err)
					}
					time.Sleep(10 * time.Millisecond)
				}
			}
		}()
	}
	time.Sleep(warmUp)
	before, cpu, start := units.Load(), cpuSeconds(), time.Now()
	time.Sleep(time.Duration(seconds * float64(time.Second)))
	done := float64(units.Load() - before)
	cpu, elapsed := cpuSeconds()-cpu, time.Since(start).Seconds()
	fmt.Printf("{\"client\":\"grpc-go\",\"mode\":%q,\"conns\":%d,\"callers\":%d,\"rate\":%.0f,\"cli_us\":%.3f,\"errs\":%d}\n",
		shape, connections, callers, done/elapsed, cpu*1e6/done, errors.Load())
}
