/**
 * Checks that the alert rules, the dashboard and the documentation refer to existing metrics only.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { parse } from 'yaml';
import { SERIES } from '../../src/observe/catalogue.ts';
import { CALL_OUTCOMES } from '../../src/observe/observer.ts';
import type { SeriesRow } from '../../src/observe/series.ts';
import { observabilityMarkdown } from '../tools/docs/metric-docs.ts';

test('docs/observability.md lists all metrics (npx tsx test/tools/docs/print-docs.ts)', () => {
  const page = readFileSync('docs/observability.md', 'utf8');
  expect(page).toBe(observabilityMarkdown(page));
});

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: Readonly<Record<string, string>>;
}
const ALERTS: { groups: { name: string; rules: Rule[] }[] } = parse(
  readFileSync('docs/deploy/alerts.yml', 'utf8'),
);
const RULES = ALERTS.groups.flatMap(({ rules }) => rules);

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: {
    readonly x: number;
    readonly y: number;
    readonly w: number;
    readonly h: number;
  };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}
const BOARD: { panels: Panel[]; templating: { list: { name: string }[] } } = JSON.parse(
  readFileSync('docs/deploy/grafana.json', 'utf8'),
);

/** Labels added by the scraper. */
const ADDED = ['job', 'instance'];
const CATALOGUE: Readonly<Record<string, SeriesRow>> = SERIES;

function rowFor(name: string): SeriesRow | undefined {
  if (name === 'up') return { kind: 'gauge', help: '' };
  const family = name.replace(/_(bucket|sum|count)$/, '');
  const row = CATALOGUE[name] ?? CATALOGUE[family];
  // Only the parts of a histogram can be queried.
  return row?.kind === 'histogram' && family === name ? undefined : row;
}

/** Metrics and the labels they are selected by: `name` and `name{label="value"}`. */
function seriesIn(expr: string): { name: string; matchers: [label: string, value: string][] }[] {
  const found = expr.matchAll(/\b((?:gateway|process|nodejs)_\w+|up)\b(?:\{([^}]*)\})?/g);
  return [...found].map(([, name = '', text = '']) => ({
    name,
    matchers: [...text.matchAll(/(\w+)(?:=~|!=|=)"([^"]*)"/g)].map(([, label = '', value = '']) => [
      label,
      value,
    ]),
  }));
}

function check(expr: string): void {
  const series = seriesIn(expr);
  expect(series.length, expr).toBeGreaterThan(0);
  const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) =>
    list.split(',').map((label) => label.trim()),
  );
  const known = new Set(['le', ...ADDED]);
  for (const { name, matchers } of series) {
    const row = rowFor(name);
    expect(row, `${name} of ${expr}`).toBeDefined();
    const labels = [...(row?.labels ?? []), ...ADDED];
    for (const label of labels) known.add(label);
    for (const [label, value] of matchers) {
      expect(labels, expr).toContain(label);
      if (label === 'outcome' && name.includes('calls'))
        for (const outcome of value.split('|')) expect(CALL_OUTCOMES).toContain(outcome);
    }
    const isCounted = row?.kind !== 'gauge';
    // Counters and parts of histograms are meaningful only as a rate.
    if (isCounted) expect(expr).toMatch(new RegExp(`(rate|increase)\\(${name}`));
  }
  for (const label of grouped) expect(known, expr).toContain(label);
  for (const [open, close] of ['()', '{}', '[]'])
    expect(expr.split(open ?? '').length, expr).toBe(expr.split(close ?? '').length);
}

describe('alert rules', () => {
  it.each(RULES.map((rule) => [rule.alert, rule] as const))('%s', (_name, rule) => {
    check(rule.expr);
    expect(['warning', 'critical']).toContain(rule.labels.severity);
    expect(Object.keys(rule.annotations)).toEqual(['summary', 'do']);
  });

  it('have unique names', () => {
    expect(new Set(RULES.map(({ alert }) => alert)).size).toBe(RULES.length);
  });
});

describe('Grafana dashboard', () => {
  const drawn = BOARD.panels.filter(({ type }) => type !== 'row');

  it.each(drawn.map((panel) => [panel.title, panel] as const))('%s', (_title, { targets = [] }) => {
    expect(targets.length).toBeGreaterThan(0);
    for (const { expr, legendFormat } of targets) {
      check(expr);
      for (const [, label = ''] of legendFormat.matchAll(/\{\{(\w+)\}\}/g))
        expect([...labelsLeft(expr)], `${legendFormat} of ${expr}`).toContain(label);
    }
  });

  it('shows every call, model, channel and token metric', () => {
    const shown = new Set(
      drawn.flatMap(({ targets = [] }) =>
        targets.flatMap(({ expr }) =>
          seriesIn(expr).map(({ name }) => name.replace(/_(bucket|sum|count)$/, '')),
        ),
      ),
    );
    const calls = Object.keys(SERIES).filter((name) =>
      /^gateway_(calls?|model|channel|tok)/.test(name),
    );
    for (const name of calls) expect([...shown]).toContain(name);
  });

  it('has no overlapping panels', () => {
    const taken = new Set<string>();
    for (const { gridPos, title } of BOARD.panels)
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1)
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
          expect(taken, title).not.toContain(`${x} ${y}`);
          expect(x).toBeLessThan(24);
          taken.add(`${x} ${y}`);
        }
  });
});

/** Labels that distinguish the results of an expression. */
function labelsLeft(expr: string): Set<string> {
  const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) =>
    list.split(',').map((label) => label.trim()),
  );
  return new Set(grouped.length > 0 ? grouped : ADDED);
}
