export interface KubeconfigParts {
  readonly server: string;
  /** PEM of the authority that signed the server's certificate. */
  readonly ca: string;
  readonly user: string;
  readonly token: string;
}

/** A kubeconfig with one context. It is JSON, and therefore YAML. */
export function kubeconfigText(
  { server, ca, user, token }: KubeconfigParts,
  cluster = 'sandbox',
  context = user === 'admin' ? cluster : `${cluster}-${user}`,
): string {
  const content = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': context,
    clusters: [
      {
        name: cluster,
        cluster: { server, 'certificate-authority-data': Buffer.from(ca).toString('base64') },
      },
    ],
    users: [{ name: user, user: { token } }],
    contexts: [{ name: context, context: { cluster, user } }],
  };

  return `${JSON.stringify(content, null, 2)}\n`;
}
