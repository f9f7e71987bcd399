// @vitest-environment jsdom
import { cleanup, render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { cellAt, layoutCells } from '@/components/groups/cell-layout';
import { GroupsSection } from '@/components/groups/groups-section';
import type { GroupItem, GroupsItem } from '@/lib/api/groups';
import type { PodItem } from '@/lib/api/pods';
import { group, groups } from '@/lib/workloads/testing/group-items';
import { stubResizeObserver } from '@/test/resize-observer';

const onPartition = vi.fn();
const onRestart = vi.fn();

beforeEach(() => {
  stubResizeObserver();
  vi.stubGlobal('matchMedia', () => ({
    matches: false,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  }));
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  onPartition.mockReset();
  onRestart.mockReset();
});

const controls = (['partition', 'deletePod'] as const).map((action) => ({
  action,
  enabled: true,
  reason: null,
}));

function show(item: GroupsItem, more: { blocked?: string; pods?: readonly PodItem[] } = {}) {
  render(
    <GroupsSection
      workload={{ name: 'llama', controls }}
      groups={item}
      pods={more.pods ?? item.items.flatMap(podsOf)}
      partial={[]}
      blocked={more.blocked ?? null}
      onPartition={onPartition}
      onRestart={onRestart}
    />,
  );
  return userEvent.setup();
}

function podsOf({ index, size, revision, revisionId, updated, ready }: GroupItem): PodItem[] {
  const at = '2026-09-17T12:00:00Z';
  return Array.from({ length: size }, (_, member) => ({
    uid: member === 0 ? `uid-${index}` : `uid-${index}-${member}`,
    name: member === 0 ? `llama-${index}` : `llama-${index}-${member}`,
    ...{ revision, revisionId, target: updated, group: { index, member }, node: `gpu-${index}${member}` },
    ...{ ip: null, phase: 'Running', ready, readyAt: null, createdAt: at, startedAt: at, deletedAt: null },
    ...{ restarts: 0, images: [], block: null, links: [] },
  }));
}

const starting: Partial<GroupItem> = { state: 'starting', ready: false, pods: { total: 3, ready: 1 } };
const disagreeing: Partial<GroupItem> = { state: 'disagrees', otherKeys: [{ key: 'key4', revision: 4 }] };

describe('a few groups', () => {
  test('shows groups side by side, each with its revision, its pods and its state in words', () => {
    show(groups([group(0, { updated: false, held: true }), group(1, starting)], { partition: 1 }));
    const table = screen.getByRole('table', { name: 'Pods of llama by group' });
    const rows = within(table).getAllByRole('row');
    expect(rows.map((row) => row.firstElementChild?.textContent)).toEqual([
      'Revision',
      ...['Leader', 'Worker 1', 'Worker 2', 'Ready', 'State'],
    ]);
    expect(rows[1]?.textContent).toContain('llama-0, revision 4, ready, gpu-00');
    expect(rows[3]?.textContent).toContain('llama-1-2, revision 5, not ready, gpu-12');
    expect(rows.at(-2)?.textContent).toBe('Ready3 of 31 of 3');
    expect(rows.at(-1)?.textContent).toBe('StateHeldStarting');
    expect(screen.getByText('Partition').nextSibling?.textContent).toBe('1, holds group 0');
  });

  test('names groups whose leader and workers disagree first, with the remedy', async () => {
    const user = show(groups([group(0), group(1, disagreeing)]));
    expect(screen.getByRole('alert').textContent).toContain('Group 1: leader on rev 5, workers on rev 4.');
    await user.click(within(screen.getByRole('alert')).getByRole('button', { name: 'Restart group 1…' }));
    expect(onRestart).toHaveBeenCalledWith(expect.objectContaining({ index: 1 }));
  });

  test('becomes a list for a viewer without access to pods, and distinguishes an unknown key', () => {
    const unseen = { leader: null };
    const odd = { ...unseen, unknownRevision: true, revision: null, revisionId: null, key: 'key9' };
    show(groups([group(0, unseen), group(1, odd)]), { pods: [] });
    const rows = within(screen.getByRole('table', { name: 'Groups of llama' })).getAllByRole('row');
    expect(rows[1]?.textContent).toContain('Unknown revision: its object is missing');
    expect(rows[1]?.textContent).toContain('key9');
  });
});

describe('the partition', () => {
  const held = (partition: number) =>
    groups(
      [0, 1, 2].map((index) => group(index, { held: index < partition, updated: index >= partition })),
      { partition },
    );

  test('is lowered by one group or by all, from the button that says which', async () => {
    const user = show(held(2));
    await user.click(screen.getByRole('button', { name: 'Update group 1…' }));
    await user.click(screen.getByRole('button', { name: 'Update all…' }));
    expect(onPartition.mock.calls).toEqual([[1], [0]]);
  });

  test('shows the groups that wait for their turn, and offers no move without an effect', async () => {
    const user = show(groups([group(0, { updated: false }), group(1)]));
    await user.click(screen.getByRole('button', { name: 'Hold remaining groups…' }));
    expect(onPartition.mock.calls).toEqual([[2]]);
    cleanup();
    show(held(0));
    expect(screen.queryByRole('button', { name: /^Update|^Hold/ })).toBeNull();
  });

  test('cannot be moved where nothing can be changed, with the reason', async () => {
    const user = show(held(1), { blocked: 'What you see is not fresh.' });
    await user.click(screen.getByRole('button', { name: 'Update group 0…' }));
    await user.click(screen.getByRole('button', { name: 'Restart group 0… What you see is not fresh.' }));
    expect(onPartition).not.toHaveBeenCalled();
    expect(onRestart).not.toHaveBeenCalled();
  });
});

describe('a thousand groups', () => {
  const thousand = () =>
    groups(
      Array.from({ length: 1_000 }, (_, index) =>
        group(index, index === 411 ? disagreeing : index === 700 ? starting : { updated: index > 500 }),
      ),
    );

  test('lists those that need attention first, with few elements', async () => {
    const user = show(thousand());
    const table = () => screen.getByRole('table', { name: 'Groups of llama' });
    const names = () =>
      within(table())
        .getAllByRole('rowheader')
        .map((head) => head.textContent);
    expect(names().slice(0, 3)).toEqual(['Group 411', 'Group 700', 'Group 500']);
    expect(document.querySelectorAll('*').length).toBeLessThan(800);
    await user.click(screen.getByRole('button', { name: /^Show 50 more of 1,000/ }));
    expect(names()).toHaveLength(62);
  });

  test('finds groups by number, by node, and by state', async () => {
    const user = show(thousand());
    const names = () => screen.getAllByRole('rowheader').map((head) => head.textContent);
    const field = screen.getByRole('textbox', { name: 'Find a group' });
    await user.type(field, '42');
    expect(names()).toEqual(['Group 42']);
    await user.clear(field);
    await user.type(field, 'gpu-4112');
    expect(names()).toEqual(['Group 411']);
    await user.clear(field);
    await user.click(screen.getByRole('button', { name: /^Starting/ }));
    expect(names()).toEqual(['Group 700']);
  });
});

test('finds every cell of the picture at the point where it is drawn, at any width', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2_000 }), fc.integer({ min: 300, max: 2_000 }), (count, width) => {
      const layout = layoutCells(count, width);
      const half = layout.cell / 2;
      for (const place of [0, count - 1, Math.floor(count / 2)]) {
        const { x, y } = layout.at(place);
        expect(x + layout.cell).toBeLessThanOrEqual(Math.max(width, layout.width));
        expect(y + layout.cell).toBeLessThanOrEqual(layout.height);
        expect(cellAt(layout, x + half, y + half)).toBe(place);
      }
    }),
  );
});
