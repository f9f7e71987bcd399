const guards = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
  'X-Frame-Options': 'DENY',
};

/** @type {import('next').NextConfig} */
const config = {
  output: 'standalone',
  poweredByHeader: false,
  reactStrictMode: true,
  agentRules: false,
  // `npm test` checks types; a build that only starts the product need not wait for it.
  typescript: { ignoreBuildErrors: true },
  // A lock file in a parent folder must not move the root.
  outputFileTracingRoot: import.meta.dirname,
  outputFileTracingIncludes: {
    '/help/glossary': ['./docs/glossary.md'],
    // The controller compares the policy of the cluster with it.
    '/api/**': ['./deploy/oam-rollout/policy.yaml'],
  },
  // No page has a picture to scale: a third of the standalone build, and native code for one architecture.
  images: { unoptimized: true },
  outputFileTracingExcludes: { '*': ['./node_modules/sharp/**', './node_modules/@img/**'] },
  turbopack: { root: import.meta.dirname },
  experimental: {
    // One chunk where Turbopack would make several: they compress better together, and over HTTP/1.1 a browser fetches
    // few at once. What is loaded later comes in parts where the page has some of them already.
    turbopackChunking: {
      minChunkSize: 1_000_000,
      maxMergeChunkSize: 3_000_000,
      generateComponentChunks: true,
    },
  },
  // One copy for the instrumentation bundle, the routes and client-node. The latter is bundled: its 700 files of
  // generated models take longer to find than to read.
  serverExternalPackages: [
    'undici',
    // Loaded only where traces are sent.
    '@opentelemetry/sdk-trace',
    '@opentelemetry/resources',
    '@opentelemetry/core',
    '@opentelemetry/context-async-hooks',
    '@opentelemetry/exporter-trace-otlp-http',
  ],
  headers: () => [
    { source: '/:path*', headers: Object.entries(guards).map(([key, value]) => ({ key, value })) },
  ],
};

export default config;
