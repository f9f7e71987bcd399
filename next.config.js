/** @type {import('next').NextConfig} */
const config = {
  output: 'standalone',
  poweredByHeader: false,
  reactStrictMode: true,
  agentRules: false,
  // One copy for the instrumentation bundle, the routes and client-node itself.
  serverExternalPackages: ['@kubernetes/client-node', 'undici'],
};

export default config;
