import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { sections, type Variable, variables } from '@/server/shared/variables';

const entries = Object.entries<Variable>(variables);

/** Each page has the variables that begin with the prefix; `npm run docs:configuration` writes them there. */
test.each([
  ['docs/configuration.md', ''],
  ['docs/notifications.md', 'SHIPLOG_WEBHOOK_'],
])('%s describes the variables as they are read', async (page, prefix) => {
  const path = fileURLToPath(new URL(`../../${page}`, import.meta.url));
  const text = readFileSync(path, 'utf8');
  const marked =
    /(?<=<!-- variables: written by npm run docs:configuration -->\n)[^]*(?=<!-- end of variables -->)/;
  expect(text).toMatch(marked);
  await expect(text.replace(marked, () => tableOf(prefix))).toMatchFileSnapshot(path);
});

function tableOf(prefix: string): string {
  const chosen = entries.filter(([name]) => name.startsWith(prefix));
  if (prefix !== '') return `\n${table(chosen)}\n`;
  const parts = sections.map((title) => {
    const variablesOf = chosen.filter(([, { section }]) => section === title);
    return `## ${title}\n\n${table(variablesOf)}\n`;
  });
  return `\n${parts.join('')}${groups}`;
}

function table(chosen: [string, Variable][]): string {
  const rows = chosen.map(
    ([name, variable]) => `| \`${name}\` | ${variable.meaning} | ${defaultOf(variable)} |\n`,
  );
  return `| Variable | Meaning | Default |\n|---|---|---|\n${rows.join('')}`;
}

const groups = `## Secrets and the sandbox

Errors and logs never contain the value of ${namesOf(({ isSecret }) => isSecret)}.

The sandbox of \`npm start\` ignores ${namesOf(({ isOutward }) => isOutward)}.
To set one of those that begin with \`SHIPLOG_\` for the sandbox, use \`SHIPLOG_SANDBOX_\`, for example \`SHIPLOG_SANDBOX_WEBHOOK_URL\`.

`;

function namesOf(has: (variable: Variable) => unknown): string {
  const names = entries.filter(([, variable]) => has(variable)).map(([name]) => `\`${name}\``);
  return `${names.slice(0, -1).join(', ')}, and ${names.at(-1)}`;
}

function defaultOf({ absent, schema }: Variable): string {
  const value = schema.parse(undefined);
  return absent ?? (typeof value === 'string' || typeof value === 'number' ? `\`${value}\`` : '');
}
