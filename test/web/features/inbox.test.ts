import { expect, test } from 'vitest';
import { messagePreview, plainText } from '../../../web/src/features/inbox/preview.ts';
import { recentTime } from '../../../web/src/lib/text/dates.ts';

test('a preview is 100 characters: 97 and dots, counted in characters, not in bytes', () => {
  expect(messagePreview('消'.repeat(100))).toBe('消'.repeat(100));
  expect(messagePreview('消'.repeat(101))).toBe(`${'消'.repeat(97)}...`);
  expect(messagePreview('😀'.repeat(101))).toBe(`${'😀'.repeat(97)}...`);
});

test('a preview shows text without Markdown marks', () => {
  const markdown = '# Tonight\n\n- **02:00**: see [here](https://example.com), `v1`';
  expect(plainText({ content: markdown, format: 'markdown' })).toBe('Tonight 02:00: see here, v1');
  const table = '| Service | State |\n|---|:--|\n| API | up |\n\n```bash\ncurl x\n```';
  expect(plainText({ content: table, format: 'markdown' })).toBe('Service State API up curl x');
  const names = 'Set `__init__` and MAX_TOKENS to snake_case_name, _really_ __now__';
  expect(plainText({ content: names, format: 'markdown' })).toBe(
    'Set __init__ and MAX_TOKENS to snake_case_name, really now',
  );
  const formulas =
    'Costs $5, then $x_1 \\cdot 2$ a day:\n\n$$\n\\frac{a}{b}\n$$\n\nor \\(y\\) as `$z$`';
  expect(plainText({ content: formulas, format: 'markdown' })).toBe(
    'Costs $5, then … a day: … or … as $z$',
  );
  const html = '<h2>Prices</h2><style>p{}</style><p>a &lt; b &amp; <em>c</em>, d</p>';
  expect(plainText({ content: html, format: 'html' })).toBe('Prices a < b & c, d');
});

test('times are a clock for a day, a weekday for a week, then a date', () => {
  const now = new Date(2026, 10, 21, 12, 0).getTime() / 1000;
  const before = (hours: number) => recentTime(now - hours * 3600, now, 'en');
  expect(before(1)).toBe('11:00');
  expect(before(23.9)).toMatch(/^\d{2}:\d{2}$/);
  expect(before(24)).toBe('Friday');
  expect(recentTime(now - 48 * 3600, now, 'zh')).toBe('星期四');
  expect(before(24 * 7)).toBe('2026-11-14');
});
