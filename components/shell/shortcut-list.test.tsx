// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { Overlays } from '@/components/shell/overlays';
import { PageFooter } from '@/components/shell/page-footer';
import { ShortcutList } from '@/components/shell/shortcut-list';
import { useShortcuts } from '@/components/ui/shortcuts';

vi.mock('next/navigation', () => ({
  useRouter: () => ({ push: () => undefined }),
  usePathname: () => '/',
  useSearchParams: () => new URLSearchParams(),
}));

afterEach(cleanup);

type Shortcuts = Parameters<typeof useShortcuts>[0];

function Keys({ of }: { of: Shortcuts }) {
  useShortcuts(of);
  return null;
}

function show(shortcuts: Shortcuts) {
  const client = new QueryClient({ defaultOptions: { queries: { enabled: false } } });
  const page = (isOpen: boolean) => (
    <QueryClientProvider client={client}>
      <Keys of={shortcuts} />
      <Overlays />
      <PageFooter />
      <ShortcutList open={isOpen} onOpenChange={() => undefined} />
    </QueryClientProvider>
  );
  render(page(false)).rerender(page(true));
}

const run = () => undefined;

describe('the list of keys', () => {
  test('lists the sequences to other pages', () => {
    show({ j: { label: 'Next row', hint: 'move', run } });
    expect(screen.getByText('Next row')).toBeDefined();
    expect(screen.getByText('Go to Workloads')).toBeDefined();
    expect(screen.getByText('Confirm in a dialog, such as a rollback')).toBeDefined();
  });

  test('omits sequences that begin with a key of the page', () => {
    show({ g: { label: 'Good', hint: 'good, bad', run }, b: { label: 'Bad', hint: 'good, bad', run } });
    expect(screen.getByText('Good')).toBeDefined();
    expect(screen.queryByText('Go to Workloads')).toBeNull();
    expect(screen.getByText('Show this list')).toBeDefined();
  });
});

test('the footer shows the keys that have a hint, neighbors with the same one together', () => {
  show({
    j: { label: 'Next row', hint: 'move', run },
    k: { label: 'Previous row', hint: 'move', run },
    y: { label: 'Copy link', run },
    'mod+enter': { label: 'Save it', hint: 'save', run },
  });
  const footer = screen.getByRole('contentinfo', { hidden: true }).textContent;
  expect(footer).toContain('j or kjkmove');
  expect(footer).toContain('Ctrl ↵save');
  expect(footer).not.toContain('Copy link');
});
