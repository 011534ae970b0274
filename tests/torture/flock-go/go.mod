module example.com/flock

go 1.26.0
