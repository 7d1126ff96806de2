// A log of Go's checksum database that submits its checkpoints to a witness, and verifies the cosignatures as filippo.io/torchwood does.
package main

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"

	"filippo.io/torchwood"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"interop/cases"
)

func main() {
	cases.Answer(func(c cases.Case) error {
		if c.Kind != "submit" {
			return fmt.Errorf("unknown kind %q", c.Kind)
		}
		return submit(c)
	})
}

func submit(c cases.Case) error {
	signer, err := note.NewSigner(c.Signer)
	if err != nil {
		return err
	}
	log := grown(c)
	root, err := tlog.TreeHash(c.Size, log)
	if err != nil {
		return err
	}
	checkpoint := torchwood.Checkpoint{Origin: signer.Name(), Tree: tlog.Tree{N: c.Size, Hash: root}}
	signed, err := note.Sign(&note.Note{Text: checkpoint.String()}, signer)
	if err != nil {
		return err
	}
	var body bytes.Buffer
	fmt.Fprintf(&body, "old %d\n", c.OlderSize)
	if c.OlderSize > 0 && c.OlderSize <= c.Size {
		proof, err := tlog.ProveTree(c.Size, c.OlderSize, log)
		if err != nil {
			return err
		}
		for _, hash := range proof {
			fmt.Fprintln(&body, base64.StdEncoding.EncodeToString(hash[:]))
		}
	}
	fmt.Fprintf(&body, "\n%s", signed)

	response, err := http.Post(c.URL+"/add-checkpoint", "text/plain", &body)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	said, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%d %s: %s", response.StatusCode, response.Header.Get("Content-Type"), said)
	}
	witness, err := torchwood.NewCosignatureVerifier(c.Key)
	if err != nil {
		return err
	}
	opened, err := note.Open(append(signed, said...), note.VerifierList(witness))
	if err != nil {
		return err
	}
	_, err = torchwood.CosignatureTimestamp(opened.Sigs[0])
	return err
}

// The hashes of the records, as Go stores them; from fork_at on they are others.
func grown(c cases.Case) tlog.HashReaderFunc {
	var stored []tlog.Hash
	read := tlog.HashReaderFunc(func(indexes []int64) ([]tlog.Hash, error) {
		hashes := make([]tlog.Hash, len(indexes))
		for i, index := range indexes {
			hashes[i] = stored[index]
		}
		return hashes, nil
	})
	for i := int64(0); i < max(c.Size, c.OlderSize); i++ {
		record := fmt.Sprintf("record %d", i)
		if c.ForkAt >= 0 && i >= c.ForkAt {
			record = fmt.Sprintf("other %d", i)
		}
		hashes, err := tlog.StoredHashes(i, []byte(record), read)
		if err != nil {
			panic(err)
		}
		stored = append(stored, hashes...)
	}
	return read
}
