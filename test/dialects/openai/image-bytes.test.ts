import { expect, test } from 'vitest';
import { withImageBytes } from '../../../src/dialects/openai/endpoints/image-bytes.ts';

const PICTURE = { mediaType: 'image/png', data: 'iVBORw0KGgo=' };
const part = (url: string) => ({ type: 'image_url', image_url: { url, detail: 'low' } });

test('replaces addresses by fetched images and keeps everything else', () => {
  const body = {
    model: 'm',
    messages: [
      { role: 'system', content: 'Look' },
      { role: 'user', content: [{ type: 'text', text: 'at' }, part('https://a.example/1.png')] },
      { role: 'user', content: [part('https://b.example/2.png')] },
    ],
  };
  const fetched = new Map([['https://a.example/1.png', PICTURE]]);
  const sent = withImageBytes(body, fetched);
  const bytes = `data:image/png;base64,${PICTURE.data}`;
  expect(sent).toEqual({
    ...body,
    messages: [
      body.messages[0],
      { role: 'user', content: [{ type: 'text', text: 'at' }, part(bytes)] },
      body.messages[2],
    ],
  });
});

test('returns the same body object if no image was fetched', () => {
  const body = { messages: [{ role: 'user', content: [part('data:image/png;base64,AA==')] }] };
  expect(withImageBytes(body, new Map())).toBe(body);
});
