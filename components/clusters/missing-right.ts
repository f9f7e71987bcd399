/** The rule that lets Shiplog read a resource, named as `deployments.apps`, for a ClusterRole. */
export function ruleFor(resource: string): string {
  const dot = resource.indexOf('.');
  const [plural, group] = dot === -1 ? [resource, ''] : [resource.slice(0, dot), resource.slice(dot + 1)];
  return `- apiGroups: ["${group}"]
  resources: ["${plural}"]
  verbs: ["get", "list", "watch"]
`;
}
