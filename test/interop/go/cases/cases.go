// Package cases reads cases from standard input, a JSON array, and answers each on a line of standard output.
package cases

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"

	"golang.org/x/mod/sumdb/tlog"
)

// Case is one question. Which members it has depends on its kind.
type Case struct {
	Name       string   `json:"name"`
	Kind       string   `json:"kind"`
	Key        string   `json:"key"`
	Policy     string   `json:"policy"`
	Note       string   `json:"note"`
	Proof      string   `json:"proof"`
	Hashes     []string `json:"hashes"`
	Index      int64    `json:"index"`
	Size       int64    `json:"size"`
	Root       string   `json:"root"`
	OlderSize  int64    `json:"older_size"`
	OlderRoot  string   `json:"older_root"`
	Record     []byte   `json:"record"`
	Records    [][]byte `json:"records"`
	Tiles      string   `json:"tiles"`
	Credential string   `json:"credential"`
	URL        string   `json:"url"`
	Signer     string   `json:"signer"`
	ForkAt     int64    `json:"fork_at"`
}

// Tree is the tree of the case.
func (c Case) Tree() (tlog.Tree, error) {
	root, err := tlog.ParseHash(c.Root)
	return tlog.Tree{N: c.Size, Hash: root}, err
}

// Proved are the hashes of the case.
func (c Case) Proved() ([]tlog.Hash, error) {
	var hashes []tlog.Hash
	for _, text := range c.Hashes {
		hash, err := tlog.ParseHash(text)
		if err != nil {
			return nil, err
		}
		hashes = append(hashes, hash)
	}
	return hashes, nil
}

// Client sends the credential of the case with every request.
func (c Case) Client() *http.Client {
	return &http.Client{Transport: authorized(c.Credential)}
}

type authorized string

func (a authorized) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if a != "" {
		r.Header.Set("Authorization", "Bearer "+string(a))
	}
	return http.DefaultTransport.RoundTrip(r)
}

type answer struct {
	Name  string `json:"name"`
	Holds bool   `json:"holds"`
	Why   string `json:"why"`
}

// Answer has every case judged: nil is that it holds.
func Answer(judge func(Case) error) {
	var all []Case
	if err := json.NewDecoder(os.Stdin).Decode(&all); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	out := json.NewEncoder(os.Stdout)
	for _, one := range all {
		said := answer{Name: one.Name, Holds: true}
		if err := judge(one); err != nil {
			said.Holds, said.Why = false, err.Error()
		}
		if err := out.Encode(said); err != nil {
			os.Exit(1)
		}
	}
}
