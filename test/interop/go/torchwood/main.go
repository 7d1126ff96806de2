// Proof files, cosigned checkpoints and entries as filippo.io/torchwood verifies them.
package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"

	"filippo.io/torchwood"
	"golang.org/x/mod/sumdb/tlog"

	"interop/cases"
)

func main() {
	cases.Answer(func(c cases.Case) error {
		policy, err := torchwood.ParsePolicy([]byte(c.Policy))
		if err != nil {
			return err
		}
		switch c.Kind {
		case "proof":
			return torchwood.VerifyProof(policy, tlog.RecordHash(c.Record), []byte(c.Proof))
		case "checkpoint":
			_, _, err := torchwood.VerifyCheckpoint([]byte(c.Note), policy)
			return err
		case "entries":
			return entries(c, policy)
		}
		return fmt.Errorf("unknown kind %q", c.Kind)
	})
}

// All entries of the checkpoint's tree, read from entry bundles and authenticated by its root, are the records, in their order.
func entries(c cases.Case, policy torchwood.Policy) error {
	checkpoint, _, err := torchwood.VerifyCheckpoint([]byte(c.Note), policy)
	if err != nil {
		return err
	}
	var reader torchwood.TileReader
	if strings.HasPrefix(c.Tiles, "http") {
		reader, err = torchwood.NewTileFetcher(c.Tiles, torchwood.WithHTTPClient(c.Client()))
	} else {
		reader, err = torchwood.NewTileFS(os.DirFS(c.Tiles))
	}
	if err != nil {
		return err
	}
	client, err := torchwood.NewClient(reader)
	if err != nil {
		return err
	}
	read := 0
	for i, entry := range client.AllEntries(context.Background(), checkpoint.Tree, 0) {
		if i >= int64(len(c.Records)) || !bytes.Equal(entry, c.Records[i]) {
			return fmt.Errorf("entry %d is another one", i)
		}
		read++
	}
	if client.Err() != nil {
		return client.Err()
	}
	if read != len(c.Records) {
		return fmt.Errorf("%d entries of %d", read, len(c.Records))
	}
	return nil
}
