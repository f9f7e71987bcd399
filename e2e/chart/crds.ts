import { installPublishedCrds } from '@/e2e/controlplane/published-crds';
import type { ControlPlane } from '@/e2e/controlplane/running-cluster';

/** Of what the chart can render. */
const CRDS = [
  {
    module: 'sigs.k8s.io/gateway-api@v1.4.1',
    files: ['config/crd/standard/gateway.networking.k8s.io_httproutes.yaml'],
  },
  {
    module: 'github.com/prometheus-operator/prometheus-operator@v0.85.0',
    files: ['servicemonitors', 'prometheusrules'].map(
      (plural) => `example/prometheus-operator-crd/monitoring.coreos.com_${plural}.yaml`,
    ),
  },
];

export const apiVersions = [
  'gateway.networking.k8s.io/v1/HTTPRoute',
  'monitoring.coreos.com/v1/ServiceMonitor',
  'monitoring.coreos.com/v1/PrometheusRule',
].flatMap((api) => ['--api-versions', api]);

export function installCrds(cluster: ControlPlane): Promise<void> {
  return installPublishedCrds(cluster, CRDS);
}
