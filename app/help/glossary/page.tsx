import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Metadata } from 'next';
import { Markdown } from '@/components/ui/markdown';

export const metadata: Metadata = { title: 'Glossary' };

/** docs/glossary.md, which the build puts beside the server: it needs no network. */
export default async function GlossaryPage() {
  const text = await readFile(join(process.cwd(), 'docs', 'glossary.md'), 'utf8');
  return (
    <article className="max-w-[860px] pt-6 pb-10">
      <h1 className="text-title">Glossary</h1>
      <Markdown text={text.replace(/^# .*\n/, '')} className="mt-3" />
    </article>
  );
}
