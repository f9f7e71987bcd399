// Starts the server in a container; the server itself checks the configuration and ends with the list of problems.

// Kubernetes and Docker set HOSTNAME to the name of the container, and Next would listen there alone.
process.env.HOSTNAME = process.env.SHIPLOG_HOST;

await import('./server.js');
