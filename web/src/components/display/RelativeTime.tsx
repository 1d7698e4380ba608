import { useClock, useDisplaySettings } from '../../lib/display/display-settings.ts';
import { dateTimeText, relativeText, zoneName } from '../../lib/text/dates.ts';
import classes from '../data-table/cells.module.css';

interface RelativeTimeProps {
  /** Epoch seconds; 0 and undefined show `none`. */
  readonly at: number | undefined;
  readonly none?: string;
}

/** "3 min. ago"; hover shows the full time and the zone. */
export function RelativeTime({ at, none = '-' }: RelativeTimeProps) {
  const { language } = useDisplaySettings();
  useClock();
  if (at === undefined || at === 0) return <span>{none}</span>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the hint must be reachable by keyboard
    <time className={classes.line} tabIndex={0} data-hint={`${dateTimeText(at)} ${zoneName()}`}>
      {relativeText(at, Math.floor(Date.now() / 1000), language)}
    </time>
  );
}

/** The full time, where it matters more than the relative one. */
export function FullTime({ at, none = '-' }: RelativeTimeProps) {
  if (at === undefined || at === 0) return <span>{none}</span>;
  return (
    <span className={classes.line} title={zoneName()}>
      {dateTimeText(at)}
    </span>
  );
}
