import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Metadata } from 'next';
import { MarkdownView } from '@/components/ui/markdown-view';

export const metadata: Metadata = { title: 'Glossary' };

const prose = 'grid gap-1.5 [overflow-wrap:anywhere]';

/** docs/glossary.md, which the build puts beside the server: it needs no network, and the page no script for it. */
export default async function GlossaryPage() {
  const text = await readFile(join(process.cwd(), 'docs', 'glossary.md'), 'utf8');
  const [intro = '', ...sections] = text.replace(/^# .*\n/, '').split(/^## /m);
  return (
    <article className="max-w-[860px] pt-6 pb-10">
      <h1 className="text-say font-semibold">Glossary</h1>
      <div className={`mt-2 ${prose}`}>
        <MarkdownView text={intro} />
      </div>
      {sections.map((section) => {
        const title = section.slice(0, section.indexOf('\n'));
        return (
          <section key={title} className="mt-7">
            <h2 className="text-title font-semibold">{title}</h2>
            <div
              className={`mt-1 [&_table]:w-full [&_td]:py-1.5 [&_td:first-child]:w-[150px] [&_td:first-child]:font-medium [&_td:first-child]:text-ink [&_thead]:sr-only ${prose}`}
            >
              <MarkdownView text={section.slice(title.length)} />
            </div>
          </section>
        );
      })}
    </article>
  );
}
