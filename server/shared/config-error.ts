import { messageOf } from '@/lib/errors';

/** Every problem of the configuration at once, each a sentence that names the variable or file. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(
      `Shiplog cannot start because of its configuration:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`,
    );
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

/** Why a part of the configuration can't be used, in one text, where the process runs on without it. */
export function configReasonOf(error: unknown): string {
  return error instanceof ConfigError ? error.problems.join(' ') : messageOf(error);
}
