import { expect, test } from 'vitest';
import {
  audienceSize,
  BLANK_MESSAGE,
  type MessageValues,
  messageInput,
  messageProblems,
  textProblems,
} from '../../../web/src/features/messages/form.ts';
import { marked } from '../../../web/src/features/messages/markup.ts';

const TO_TWO: MessageValues = {
  title: ' Maintenance ',
  content: '\n# Tonight\n',
  format: 'markdown',
  audience: {
    kind: 'picked',
    users: new Map([
      [3, 'alice'],
      [9, 'bob'],
    ]),
  },
};

test('a message needs a title, a text and a recipient', () => {
  expect(messageProblems(BLANK_MESSAGE)).toEqual({
    title: 'title',
    content: 'content',
    audience: 'audience',
  });
  expect(messageProblems(TO_TWO)).toEqual({});
});

test('blanks alone are neither a title nor a text', () => {
  expect(textProblems({ title: '   ', content: ' \n ', format: 'html' })).toEqual({
    title: 'title',
    content: 'content',
  });
});

test('trims title and text before sending', () => {
  expect(messageInput(TO_TWO)).toEqual({
    title: 'Maintenance',
    content: '# Tonight',
    format: 'markdown',
    user_ids: [3, 9],
  });
});

test('sends a group or everyone by name instead of by members', () => {
  const group = { kind: 'group', group: 'vip', count: 40 } as const;
  expect(messageInput({ ...TO_TWO, audience: group })).toMatchObject({ group: 'vip' });
  expect(messageInput({ ...TO_TWO, audience: group })).not.toHaveProperty('user_ids');
  const all = { kind: 'all', count: 40 } as const;
  expect(messageInput({ ...TO_TWO, audience: all })).toMatchObject({ to_all: true });
  expect(audienceSize(all)).toBe(40);
});

test('puts a mark around the selection and keeps it selected', () => {
  const text = 'one two three';
  expect(marked({ text, start: 4, end: 7 }, 'markdown', 'bold')).toEqual({
    text: 'one **two** three',
    start: 6,
    end: 9,
  });
  expect(marked({ text, start: 4, end: 7 }, 'html', 'link').text).toBe(
    'one <a href="https://">two</a> three',
  );
});

test('line marks start at the beginning of the first line', () => {
  const text = 'title\none\ntwo';
  expect(marked({ text, start: 8, end: 13 }, 'markdown', 'list').text).toBe('title\n- one\n- two');
  expect(marked({ text, start: 2, end: 2 }, 'markdown', 'heading').text).toBe('## title\none\ntwo');
  expect(marked({ text, start: 6, end: 13 }, 'html', 'list').text).toBe(
    'title\n<ul>\n  <li>one</li>\n  <li>two</li>\n</ul>',
  );
});
