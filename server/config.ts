/** Where the cluster's address and credentials come from. */
export type ClusterSource =
  | { readonly kind: 'kubeconfig'; readonly files: readonly string[]; readonly context?: string }
  | { readonly kind: 'in_cluster' }
  | { readonly kind: 'none' };

/** What is wrong with the configuration, everything at once, each a sentence that names the variable or file. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(
      `Shiplog can't start with this configuration:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`,
    );
    this.name = 'ConfigError';
    this.problems = problems;
  }
}
