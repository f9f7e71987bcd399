// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, describe, expect, test } from 'vitest';
import { ShortcutList } from '@/components/shell/shortcut-list';
import { type KeyHint, KeyHints } from '@/components/ui/key-hints';

afterEach(cleanup);

function show(items: readonly KeyHint[]) {
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { enabled: false } } })}>
      <KeyHints items={items} />
      <ShortcutList open onOpenChange={() => undefined} />
    </QueryClientProvider>,
  );
}

describe('the list of keys', () => {
  test('lists the sequences to other pages', () => {
    show([{ keys: ['j', 'k'], label: 'move' }]);
    expect(screen.getByText('move')).toBeDefined();
    expect(screen.getByText('Go to Fleet')).toBeDefined();
    expect(screen.getByText('Confirm in a dialog, such as a rollback')).toBeDefined();
  });

  test('omits sequences that begin with a key of the page', () => {
    show([{ keys: ['g', 'b', 'f'], label: 'good, bad, follow-up' }]);
    expect(screen.getByText('good, bad, follow-up')).toBeDefined();
    expect(screen.queryByText('Go to Fleet')).toBeNull();
    expect(screen.getByText('Show this list')).toBeDefined();
  });
});
