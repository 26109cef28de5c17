// Package smallframes holds what client and server share: the service of ../small_frames.proto, written by hand because it has three
// procedures and one message, which is google.protobuf.BytesValue on the wire.
package smallframes

import (
	"time"

	"google.golang.org/grpc"
)

const (
	// Messages of a stream.
	Messages = 1000
	// PayloadBytes of a message.
	PayloadBytes = 100
	// Service is the full name of the service.
	Service = "trunkline.lab.small_frames.v1.SmallFrames"

	pause      = 2 * time.Millisecond
	readAtOnce = 100
)

// The procedures.
var (
	Pull = grpc.StreamDesc{StreamName: "Pull", ServerStreams: true}
	Push = grpc.StreamDesc{StreamName: "Push", ClientStreams: true}
	Talk = grpc.StreamDesc{StreamName: "Talk", ServerStreams: true, ClientStreams: true}
)

// Pace makes a slow reader stop now and then, so that the sender runs into its windows.
func Pace(slow bool, seen int) {
	if slow && seen%readAtOnce == 0 {
		time.Sleep(pause)
	}
}
