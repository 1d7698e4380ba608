import type { PointerEvent } from 'react';
import { useCellText } from '../../lib/text/cell-text.ts';
import { dateTimeText, durationText } from '../../lib/text/dates.ts';
import cells from '../data-table/cells.module.css';
import classes from './HealthStrip.module.css';

export interface HealthCheck {
  readonly isOk: boolean;
  /** Epoch seconds. */
  readonly at: number;
  readonly ms: number;
  readonly model?: string;
  readonly error?: string;
  /** A channel test rather than a client call. */
  readonly isTest?: boolean;
}

const BARS = 30;
const SLOW_MS = 5_000;

interface HealthStripProps {
  readonly checks: readonly HealthCheck[];
  /** Narrower bars, for tables of many columns. */
  readonly isNarrow?: boolean;
}

/** The last 30 outcomes, newest right. Bars differ in height as well as colour. */
export function HealthStrip({ checks, isNarrow = false }: HealthStripProps) {
  const t = useCellText();
  const last = checks.slice(-BARS);
  const ok = last.filter(({ isOk }) => isOk).length;
  const summary =
    last.length === 0
      ? t('part.health.none')
      : t('part.health.summary', { ok, total: last.length });
  const pitch = (isNarrow ? 1 : 3) + GAP_PX;
  const blanks = BARS - last.length;
  // Computed on hover only: building thirty texts for each of a hundred rows is slow.
  const point = ({ currentTarget, clientX }: PointerEvent<HTMLElement>) => {
    const index = Math.floor((clientX - currentTarget.getBoundingClientRect().left) / pitch);
    const check = last[index - blanks];
    if (check === undefined) delete currentTarget.dataset.hint;
    else currentTarget.dataset.hint = checkText(check);
  };
  return (
    <div className={`${cells.row} ${classes.root}`}>
      <div
        className={classes.strip}
        role="img"
        aria-label={summary}
        onPointerEnter={point}
        onPointerMove={point}
      >
        <svg width={BARS * pitch - GAP_PX} height={HEIGHT_PX} aria-hidden="true">
          {pathsOf(last, blanks, pitch).map(({ state, path }) => (
            <path key={state} data-state={state} d={path} />
          ))}
        </svg>
      </div>
      {last.length > 0 && (
        <span
          className={`${cells.dimmed} ${cells.small} ${classes.share}`}
          data-state={shareState(ok / last.length)}
          aria-hidden
        >
          {percentText(ok / last.length)}
        </span>
      )}
    </div>
  );
}

const HEIGHT_PX = 18;
const GAP_PX = 1;
const HEIGHTS = { ok: 1, slow: 0.7, failed: 0.4, none: 0.15 } as const;
type State = keyof typeof HEIGHTS;

/** Draws all bars of one state as a single path. */
function pathsOf(checks: readonly HealthCheck[], blanks: number, pitch: number) {
  const paths = new Map<State, string>();
  const width = pitch - GAP_PX;
  for (let index = 0; index < BARS; index += 1) {
    const check = checks[index - blanks];
    const state = check ? stateOf(check) : 'none';
    const height = HEIGHTS[state] * HEIGHT_PX;
    const bar = `M${index * pitch} ${HEIGHT_PX}v${-height}h${width}v${height}z`;
    paths.set(state, (paths.get(state) ?? '') + bar);
  }
  return [...paths].map(([state, path]) => ({ state, path }));
}

/** A channel below this success rate is highlighted. */
const POOR_SHARE = 0.9;

function shareState(share: number): State {
  if (share === 0) return 'failed';
  return share < POOR_SHARE ? 'slow' : 'ok';
}

/** `93.3%`; 100% has no decimals. */
function percentText(share: number): string {
  return share === 1 ? '100%' : `${(share * 100).toFixed(1)}%`;
}

function stateOf({ isOk, ms }: HealthCheck): State {
  if (!isOk) return 'failed';
  return ms > SLOW_MS ? 'slow' : 'ok';
}

function checkText({ at, ms, model, error }: HealthCheck): string {
  return [dateTimeText(at), model, durationText(ms), error].filter(Boolean).join(' · ');
}
