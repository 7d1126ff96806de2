// Notes, proofs and tiles as Go's checksum database verifies them.
package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"interop/cases"
)

func main() {
	cases.Answer(func(c cases.Case) error {
		switch c.Kind {
		case "note":
			return signed(c)
		case "inclusion":
			return included(c)
		case "consistency":
			return consistent(c)
		case "grown":
			return grown(c)
		case "root":
			return rooted(c)
		case "tiles":
			return tiled(c)
		}
		return fmt.Errorf("unknown kind %q", c.Kind)
	})
}

func signed(c cases.Case) error {
	verifier, err := note.NewVerifier(c.Key)
	if err != nil {
		return err
	}
	_, err = note.Open([]byte(c.Note), note.VerifierList(verifier))
	return err
}

func included(c cases.Case) error {
	tree, err := c.Tree()
	if err != nil {
		return err
	}
	hashes, err := c.Proved()
	if err != nil {
		return err
	}
	return tlog.CheckRecord(hashes, tree.N, tree.Hash, c.Index, tlog.RecordHash(c.Record))
}

func consistent(c cases.Case) error {
	tree, err := c.Tree()
	if err != nil {
		return err
	}
	older, err := tlog.ParseHash(c.OlderRoot)
	if err != nil {
		return err
	}
	hashes, err := c.Proved()
	if err != nil {
		return err
	}
	return tlog.CheckTree(hashes, tree.N, tree.Hash, c.OlderSize, older)
}

// As consistent, with the older root computed here from the records alone.
func grown(c cases.Case) error {
	older, err := rootOf(c.Records[:c.OlderSize])
	if err != nil {
		return err
	}
	c.OlderRoot = older.String()
	return consistent(c)
}

// The root, computed here from the records alone.
func rooted(c cases.Case) error {
	root, err := rootOf(c.Records)
	if err != nil {
		return err
	}
	if int64(len(c.Records)) != c.Size || root.String() != c.Root {
		return fmt.Errorf("the root of %d records is %s", len(c.Records), root)
	}
	return nil
}

func rootOf(records [][]byte) (tlog.Hash, error) {
	var stored hashes
	for i, record := range records {
		more, err := tlog.StoredHashes(int64(i), record, stored)
		if err != nil {
			return tlog.Hash{}, err
		}
		stored = append(stored, more...)
	}
	return tlog.TreeHash(int64(len(records)), stored)
}

type hashes []tlog.Hash

func (h hashes) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	var found []tlog.Hash
	for _, i := range indexes {
		if i >= int64(len(h)) {
			return nil, errors.New("there is no such hash")
		}
		found = append(found, h[i])
	}
	return found, nil
}

// Every tile of the tree is read and authenticated by the root, and a proof made of them is the one that was given.
func tiled(c cases.Case) error {
	tree, err := c.Tree()
	if err != nil {
		return err
	}
	reader := tlog.TileHashReader(tree, tiles{c})
	var all []int64
	for level := 0; int64(1)<<level <= tree.N; level++ {
		for n := int64(0); n < tree.N>>level; n++ {
			all = append(all, tlog.StoredHashIndex(level, n))
		}
	}
	if _, err := reader.ReadHashes(all); err != nil {
		return err
	}
	given, err := c.Proved()
	if err != nil {
		return err
	}
	made, err := tlog.ProveRecord(tree.N, c.Index, reader)
	if err != nil {
		return err
	}
	if fmt.Sprint(made) != fmt.Sprint(tlog.RecordProof(given)) {
		return fmt.Errorf("the proof made of the tiles is another one")
	}
	return nil
}

type tiles struct{ cases.Case }

func (t tiles) Height() int { return 8 }

func (t tiles) SaveTiles([]tlog.Tile, [][]byte) {}

func (t tiles) ReadTiles(wanted []tlog.Tile) ([][]byte, error) {
	var data [][]byte
	for _, tile := range wanted {
		// The checksum database names the height; C2SP's tiles always have this one.
		bytes, err := t.read("tile/" + strings.TrimPrefix(tile.Path(), "tile/8/"))
		if err != nil {
			return nil, err
		}
		data = append(data, bytes)
	}
	return data, nil
}

func (t tiles) read(path string) ([]byte, error) {
	if !strings.HasPrefix(t.Tiles, "http") {
		return os.ReadFile(t.Tiles + "/" + path)
	}
	request, err := http.NewRequest("GET", t.Tiles+"/"+path, nil)
	if err != nil {
		return nil, err
	}
	response, err := t.Client().Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != 200 {
		return nil, fmt.Errorf("GET %s: %s", path, response.Status)
	}
	return io.ReadAll(response.Body)
}
