import { customResource } from '@/sandbox/crds/custom-resource';

/** https://github.com/kubernetes-sigs/gateway-api/blob/main/config/crd/standard/gateway.networking.k8s.io_httproutes.yaml */
export const httpRouteCrd = customResource({
  group: 'gateway.networking.k8s.io',
  kind: 'HTTPRoute',
  plural: 'httproutes',
  versions: ['v1', 'v1beta1'],
});
