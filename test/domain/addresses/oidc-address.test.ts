import { expect, it } from 'vitest';
import { usesPlainHttp } from '../../../src/domain/oidc-address.ts';

it.each([
  [{}, false],
  [{ 'oidc.well_known': 'https://id.example/d' }, false],
  [{ 'oidc.well_known': 'HTTP://id.example/d' }, true],
  [{ 'oidc.token_endpoint': 'http://id.example/token' }, true],
  [{ 'oidc.user_info_endpoint': 'http://id.example/me' }, true],
  [{ 'oidc.authorization_endpoint': 'https://id.example/authorize' }, false],
  [
    {
      'oidc.well_known': 'https://id.example/d',
      'oidc.token_endpoint': 'http://id.example/unused',
    },
    false,
  ],
] as const)('%j', (addresses, plain) => {
  const values = new Map(Object.entries(addresses));
  expect(usesPlainHttp((key) => values.get(key) ?? '')).toBe(plain);
});
