import { expect, test } from 'vitest';
import { AddressRanges } from '@/server/shared/address-ranges';
import { clientNetworkOf } from '@/server/shared/client-address';
import { requestFrom } from '@/server/shared/testing/request-from';

const trusted = new AddressRanges(['10.0.0.0/8', 'fd00::/8']);
const networkOf = (peer: string, forwarded?: string) =>
  clientNetworkOf(
    requestFrom(peer, forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }),
    trusted,
  );

test.each([
  ['203.0.113.9', '203.0.113.9'],
  ['::ffff:203.0.113.9', '203.0.113.9'],
  ['::1', '0:0:0:0::/64'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8::5', '2001:db8:0:0::/64'],
  ['2001:0DB8:0:0:1::', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['64:ff9b::192.0.2.33', '64:ff9b:0:0::/64'],
])('the network of %s is %s', (address, network) => expect(networkOf(address)).toBe(network));

test('a client cannot choose its address', () => {
  expect(networkOf('203.0.113.9', '198.51.100.1')).toBe('203.0.113.9');
  // What the client sent stands before what the proxy adds.
  expect(networkOf('10.1.1.1', '198.51.100.1, 203.0.113.9')).toBe('203.0.113.9');
  expect(networkOf('10.1.1.1', '10.2.2.2, 203.0.113.9, 10.1.1.2')).toBe('203.0.113.9');
});

test.each([
  ['10.1.1.1', '203.0.113.9', '203.0.113.9'],
  ['::ffff:10.1.1.1', '203.0.113.9, fd00::1', '203.0.113.9'],
  ['10.1.1.1', '203.0.113.9:4711', '203.0.113.9'],
  ['10.1.1.1', '[2001:db8:1:2::9]:4711', '2001:db8:1:2::/64'],
  ['10.1.1.1', '2001:db8:1:2::9', '2001:db8:1:2::/64'],
  ['10.1.1.1', 'unknown', '10.1.1.1'],
  ['10.1.1.1', '', '10.1.1.1'],
  ['10.1.1.1', undefined, '10.1.1.1'],
  ['10.1.1.1', '203.0.113.9, _hidden', '10.1.1.1'],
  ['10.1.1.1', '10.3.3.3, 10.2.2.2', '10.3.3.3'],
])('a trusted proxy (%s) that forwards for %s', (peer, forwarded, client) =>
  expect(networkOf(peer, forwarded)).toBe(client),
);

test('without a connection there is no address', () => {
  expect(clientNetworkOf(new Request('http://localhost/'), trusted)).toBe('unknown');
});
