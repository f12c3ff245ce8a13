module github.com/arenite/arenite/ffi/go

go 1.19
