import { BlockList } from 'node:net';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AddressRanges, isRange } from '@/server/shared/address-ranges';

test.each([
  [['0.0.0.0/0']],
  [['::/0']],
  [['0.0.0.0/1', '128.0.0.0/1']],
  [['::/1', '8000::/1']],
  [['::ffff:0:0/96']],
  [['::ffff:0.0.0.0/97', '::ffff:128.0.0.0/97']],
  [['::/1']],
  [['2000::/3']],
  [['2000::/4', '3000::/4']],
  [['1.0.0.0/8', '2.0.0.0/7', '4.0.0.0/6', '8.0.0.0/5', '16.0.0.0/4', '32.0.0.0/3', '64.0.0.0/2']],
  [['10.0.0.0/8', '64.0.0.0/3']],
])('%j are many', (ranges) => {
  expect(new AddressRanges(ranges).areMany).toBe(true);
});

test.each([
  [['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7', 'fe80::/10']],
  [['10.0.0.0/8', '10.0.0.0/8', '10.0.0.0/7', '11.0.0.0/8', '8.0.0.0/7']],
  [['192.0.2.7', '2001:db8::/32', '::1']],
  [['128.0.0.0/4']],
])('%j are not', (ranges) => {
  expect(new AddressRanges(ranges).areMany).toBe(false);
});

test('ranges that cover everything are many, however they are cut', () => {
  const cut = fc.array(fc.nat({ max: 7 }), { maxLength: 12 });
  fc.assert(
    fc.property(cut, fc.constantFrom(4, 6), (cuts, family) => {
      let parts = [{ value: 0n, bits: 0 }];
      for (const at of cuts) {
        const [part] = parts.splice(at % parts.length, 1);
        if (part === undefined) continue;
        const bits = part.bits + 1;
        parts = [...parts, { value: part.value << 1n, bits }, { value: (part.value << 1n) + 1n, bits }];
      }
      const ranges = parts.map(({ value, bits }) => {
        const first = Number((value << 16n) >> BigInt(bits));
        return family === 4 ? `${first >> 8}.${first & 255}.0.0/${bits}` : `${first.toString(16)}::/${bits}`;
      });
      expect(ranges.every(isRange)).toBe(true);
      expect(new AddressRanges(ranges).areMany).toBe(true);
    }),
  );
});

test('an address is within a range where Node says so, and in either form of IPv4', () => {
  const octets = fc.array(fc.constantFrom(0, 1, 10, 127, 128, 255), { minLength: 4, maxLength: 4 });
  const groups = fc.array(fc.constantFrom('0', '1', 'fd00', 'fe80', 'ffff'), { minLength: 8, maxLength: 8 });
  fc.assert(
    fc.property(octets, fc.nat({ max: 32 }), octets, (network, bits, address) => {
      const list = new BlockList();
      list.addSubnet(network.join('.'), bits, 'ipv4');
      const ranges = new AddressRanges([`${network.join('.')}/${bits}`]);
      expect(ranges.includes(address.join('.'))).toBe(list.check(address.join('.'), 'ipv4'));
      expect(ranges.includes(`::ffff:${address.join('.')}`)).toBe(ranges.includes(address.join('.')));
    }),
  );
  fc.assert(
    fc.property(groups, fc.nat({ max: 128 }), groups, (network, bits, address) => {
      const list = new BlockList();
      list.addSubnet(network.join(':'), bits, 'ipv6');
      const ranges = new AddressRanges([`${network.join(':')}/${bits}`]);
      expect(ranges.includes(address.join(':'))).toBe(list.check(address.join(':'), 'ipv6'));
    }),
  );
  const local = new AddressRanges(['fe80::/10', '10.0.0.0/8']);
  expect(local.includes('fe80::1%eth0')).toBe(true);
  for (const text of ['', 'proxy', '10.0.0', '::ffff:11.0.0.1']) expect(local.includes(text)).toBe(false);
});

test.each(['10.0.0.0/33', '10.0.0/8', 'proxy', '10.0.0.0/8/8', '::/129', '10.0.0.0/', '10.0.0.0/-1', ''])(
  '%j is no range',
  (text) => {
    expect(isRange(text)).toBe(false);
  },
);
