import { type Variable, variables } from '@/server/shared/variables';

/** Not variables of Shiplog, but of its connections; their values may hold a password. */
const standard = [
  'HTTPS_PROXY',
  'HTTP_PROXY',
  'NO_PROXY',
  'NODE_EXTRA_CA_CERTS',
  'NODE_OPTIONS',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
];

/** The variables that are set, by name; of those that hold a secret only that they are set. Other values are unmasked. */
export function shownConfiguration(env: Readonly<Record<string, string | undefined>>): Map<string, string> {
  const own = Object.entries<Variable>(variables).map(([name, { isSecret }]) => ({ name, isSecret }));
  const others = standard.map((name) => ({ name, isSecret: true }));
  return new Map(
    [...own, ...others].flatMap(({ name, isSecret }) => {
      const value = env[name]?.trim() ?? '';
      return value === '' ? [] : [[name, isSecret ? '(set)' : value] as const];
    }),
  );
}
