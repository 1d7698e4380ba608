import { expect, test } from 'vitest';
import { splitRequestId, withRequestId } from '../../../src/domain/errors/error-shapes.ts';

test.each(['no', 'two\nlines', 'ends (request id: old)', ''])(
  'the request id is taken off "%s" again',
  (message) => {
    expect(splitRequestId(withRequestId(message, 'r1'))).toEqual({ message, requestId: 'r1' });
  },
);

test('a message without a request id stays as it is', () => {
  expect(splitRequestId('no (id: 1)')).toEqual({ message: 'no (id: 1)', requestId: '' });
});
