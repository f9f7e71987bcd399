// @vitest-environment jsdom
import { cleanup, render, screen, waitFor } from '@testing-library/react';
import { afterEach, describe, expect, test } from 'vitest';
import { Markdown } from '@/components/ui/markdown';
import { MarkdownView } from '@/components/ui/markdown-view';

afterEach(cleanup);

function html(text: string): HTMLElement {
  return render(<MarkdownView text={text} />).container;
}

describe('the text of a comment', () => {
  test('is rendered as Markdown, with tables, lists and struck text', () => {
    const shown = html(
      '**bold** and `code`\n\n- [x] done\n- [ ] open\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n~~gone~~',
    );
    expect(shown.querySelector('strong')?.textContent).toBe('bold');
    expect(shown.querySelectorAll('li')).toHaveLength(2);
    expect(shown.querySelector('td')?.textContent).toBe('1');
    expect(shown.querySelector('del')?.textContent).toBe('gone');
    expect(shown.querySelector('input')).toBeNull();
  });

  test.each([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '<a href="javascript:alert(1)">x</a>',
    '[x](javascript:alert(1))',
    '[x](JaVaScRiPt:alert(1))',
    '[x](java\nscript:alert(1))',
    '[x](data:text/html;base64,PHNjcmlwdD4=)',
    '[x](vbscript:msgbox)',
    '[x](//evil.example/x)',
    '[x](/api/records)',
    '![x](javascript:alert(1))',
    '![x](data:image/svg+xml;base64,PHN2Zz4=)',
    '![x](https://evil.example/pixel.gif)',
    '![x][1]\n\n[1]: https://evil.example/pixel.gif',
    '<style>body{display:none}</style>',
    '<iframe src="https://evil.example"></iframe>',
    '<svg onload=alert(1)>',
    '<form action="https://evil.example"><input name=a></form>',
    '<javascript:alert(1)>',
    '[x]: javascript:alert(1)\n\n[x]',
    'text[^1]\n\n[^1]: note with an id',
    '<div id="record-title">',
    '# heading',
  ])('%j can neither run nor load nor imitate the page', (text) => {
    const shown = html(text);
    expect(
      shown.querySelector('script, img, iframe, style, svg, form, input, object, h1, [id], [style]'),
    ).toBeNull();
    for (const element of shown.querySelectorAll('*')) {
      const names = element.getAttributeNames();
      expect(names.filter((name) => name.startsWith('on') || name === 'src' || name === 'srcset')).toEqual(
        [],
      );
    }
    for (const link of shown.querySelectorAll('a')) {
      expect(link.getAttribute('href')).toMatch(/^(https?:\/\/|mailto:)/);
    }
  });

  test('links to the web, to mail and to our own pages, without a referrer', () => {
    html(
      '[web](https://example.com/a) <mailto:a@example.com> [one](/records/r1) ![chart](https://example.com/p.png)',
    );
    const links = screen.getAllByRole('link');
    expect(links.map((link) => link.getAttribute('href'))).toEqual([
      'https://example.com/a',
      'mailto:a@example.com',
      '/records/r1',
      'https://example.com/p.png',
    ]);
    for (const link of links) expect(link.getAttribute('rel')).toBe('noopener noreferrer nofollow');
    expect(links[3]?.textContent).toBe('chart');
  });

  test.each([
    ['>'.repeat(10_000), 'quotes within quotes'],
    ['[('.repeat(5_000), 'brackets that never close'],
    ['- '.repeat(5_000), 'lists within lists'],
    ['*a_'.repeat(3_300), 'emphasis without an end'],
    ['`'.repeat(10_000), 'ticks'],
    ['<a '.repeat(3_000), 'tags that never close'],
  ])('is shown as written where it is all markup (%#)', (text) => {
    const { container } = render(<Markdown text={text} />);
    expect(container.textContent).toBe(text);
    expect(container.querySelectorAll('*').length).toBeLessThan(4);
  });

  test('is shown as plain text until it has been parsed, and each text has its own direction', async () => {
    const { container } = render(<Markdown text="**שלום**" />);
    expect(container.firstElementChild?.getAttribute('dir')).toBe('auto');
    await waitFor(() => expect(container.querySelector('strong')?.textContent).toBe('שלום'));
  });
});

describe('a mention', () => {
  const show = (text: string, ...names: string[]) =>
    render(<MarkdownView text={text} mentions={names} />).container;
  const marked = (shown: HTMLElement) =>
    [...shown.querySelectorAll('bdi')].map(({ textContent }) => textContent);

  test.each([
    'ann',
    'Ann Lee',
    'ann@shop.example',
    '**a**_b_',
    '<b>ann</b>',
    '[x](https://evil.example)',
    '`',
    '|',
  ])('of %j is highlighted as it was written, whatever its signs mean in Markdown', (name) => {
    const shown = show(`**so**, @${name}: see *@${name}*`, name);
    expect(marked(shown)).toEqual([`@${name}`, `@${name}`]);
    expect(shown.textContent).toBe(`so, @${name}: see @${name}`);
    expect(shown.querySelector('a, b, code')).toBeNull();
  });

  test('of someone unknown, in code, or in a link is text', () => {
    expect(marked(show('@eve `@ann` [x](@ann)', 'ann'))).toEqual([]);
    expect(show('`@ann`\n\n    @ann\n\n![@ann](https://a.example)', 'ann').textContent).toMatch(
      /^@ann\s+@ann\s+@ann$/,
    );
    expect(show('<div>@ann</div>', 'ann').querySelector('bdi, div > div')).toBeNull();
  });

  test('cannot be faked by the signs that stand for one', () => {
    const shown = show('@ann \uE0000\uE001', 'ann');
    expect([marked(shown), shown.textContent]).toEqual([[], '@ann \uE0000\uE001']);
  });
});
