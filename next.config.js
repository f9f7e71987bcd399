/** @type {import('next').NextConfig} */
const config = {
  output: 'standalone',
  poweredByHeader: false,
  reactStrictMode: true,
  agentRules: false,
  // One copy for the instrumentation bundle, the routes and client-node, which is bundled: its 700 files of generated
  // models took longer to find than to read.
  // Types are checked by `npm test`; a build that only starts the product need not wait for them.
  typescript: { ignoreBuildErrors: true },
  // A lock file further up must not move the root.
  outputFileTracingRoot: import.meta.dirname,
  turbopack: { root: import.meta.dirname },
  serverExternalPackages: ['undici'],
};

export default config;
