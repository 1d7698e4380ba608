import { Tag } from '../../../components/display/Tag.tsx';
import { useCellText } from '../../../lib/text/cell-text.ts';
import { durationText } from '../../../lib/text/dates.ts';
import type { LogLine } from '../calls.ts';
import classes from '../Log.module.css';
import { firstTokenMs, firstTokenTone, tookMs, tookTone } from '../timing.ts';

/** Duration and time to the first token; the bar shows the share spent waiting. */
export function TimeCell({ line }: { readonly line: LogLine }) {
  const t = useCellText();
  const ms = tookMs(line);
  const firstMs = line.is_stream ? firstTokenMs(line) : undefined;
  const waiting = firstMs === undefined ? 1 : Math.min(1, firstMs / ms);
  return (
    <div className={classes.took}>
      <div className={classes.times}>
        <Tag tone={tookTone(ms)} hint={`${t('log.useTime.total')} · ${durationText(ms)}`}>
          {durationText(ms)}
        </Tag>
        {firstMs !== undefined && (
          <Tag
            tone={firstTokenTone(firstMs)}
            hint={`${t('log.useTime.first')} · ${durationText(firstMs)}`}
          >
            {durationText(firstMs)}
          </Tag>
        )}
      </div>
      <div className={classes.tookBar} aria-hidden>
        <span style={{ width: `${waiting * 100}%` }} />
      </div>
    </div>
  );
}
