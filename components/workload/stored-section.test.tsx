// @vitest-environment jsdom
import { QueryClient } from '@tanstack/react-query';
import { cleanup, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { hasStoredObjects } from '@/components/workload/stored-objects';
import { StoredSection } from '@/components/workload/stored-section';
import { sampleDetail, sampleRevision } from '@/test/samples';
import { renderWith } from '@/test/render';

afterEach(cleanup);

function show(parts: Parameters<typeof sampleDetail>[0]) {
  return renderWith(new QueryClient(), <StoredSection detail={sampleDetail(parts)} />);
}

test('lists only revisions without a template as they were recorded, for a kind with specific support', () => {
  const odd = sampleRevision(4, { name: 'odd', fault: 'It holds no data.' });
  show({ revisions: [sampleRevision(5, { target: true }), odd] });
  expect(screen.getByRole('heading', { name: 'Recorded content' })).toBeTruthy();
  expect(screen.getAllByRole('button').map(({ textContent }) => textContent)).toEqual([
    expect.stringContaining('odd'),
  ]);
  expect(hasStoredObjects(sampleDetail({ revisions: [sampleRevision(5, { target: true }), odd] }))).toBe(
    true,
  );
  expect(hasStoredObjects(sampleDetail({ revisions: [sampleRevision(5, { target: true })] }))).toBe(false);
});
