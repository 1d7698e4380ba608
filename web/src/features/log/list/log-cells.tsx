import { IconChevronRight } from '@tabler/icons-react';
import type { TFunction } from 'i18next';
import { Fragment, type MouseEvent } from 'react';
import { inputTokensOf } from '../../../../../src/domain/logs/claude-facts.ts';
import { LOG_TYPE } from '../../../../../src/domain/logs/log-types.ts';
import { recordedGroupRatio } from '../../../../../src/domain/pricing/log-price.ts';
import { priceText } from '../../../../../src/domain/pricing/quota-text.ts';
import { numberText } from '../../../../../src/domain/text/number-text.ts';
import cells from '../../../components/data-table/cells.module.css';
import { Tag } from '../../../components/display/Tag.tsx';
import { ratioText } from '../../../components/display/tag-lists.tsx';
import { usePrivacy } from '../../../lib/display/privacy.ts';
import { useCellText } from '../../../lib/text/cell-text.ts';
import { durationText } from '../../../lib/text/dates.ts';
import type { LogEntry } from '../calls.ts';
import { mappedModel } from '../facts.ts';
import classes from '../Log.module.css';
import { firstTokenMs, firstTokenTone, tookMs, tookTone } from '../timing.ts';
import type { OnCell } from './CellMenu.tsx';

interface CellProps {
  readonly entry: LogEntry;
  readonly onPick: OnCell;
}

export function ChannelCell({ entry, onPick }: CellProps) {
  if (entry.channel === 0) return null;
  const { channel, channel_name: name } = entry;
  return (
    <CellButton
      text={name === '' ? `#${channel}` : `#${channel} ${name}`}
      onClick={(event) => onPick(event, { patch: { channel }, text: String(channel) })}
    />
  );
}

export function UserCell({ entry, onPick }: CellProps) {
  const isHidden = usePrivacy();
  const { username: user, user_id: userId } = entry;
  return (
    <button
      type="button"
      className={classes.cell}
      title={isHidden ? undefined : user}
      onClick={(event) => onPick(event, { patch: { user }, text: user, userId })}
    >
      <span className={classes.user}>
        <span className={classes.avatar} aria-hidden>
          {isHidden ? '' : user.slice(0, 1).toUpperCase()}
        </span>
        <span className={cells.clipped}>{isHidden ? '•••' : user}</span>
      </span>
    </button>
  );
}

export function ModelCell({ entry, onPick }: CellProps) {
  const { model_name: model } = entry;
  const upstream = mappedModel(entry.facts);
  const isMapped = upstream !== '' && upstream !== model;
  return (
    <div className={classes.tagCell}>
      <Tag
        mono
        tone="blue"
        hint={isMapped ? `${model} → ${upstream}` : model}
        onClick={(event) => onPick(event, { patch: { model }, text: model })}
      >
        {isMapped ? `${model} → ${upstream}` : model}
      </Tag>
    </div>
  );
}

/** The error or action, truncated to two lines; the hint and the opened row have all of it. */
export function ContentCell({ content }: { readonly content: string }) {
  return (
    <span className={`${classes.content} ${cells.small} ${cells.dimmed}`} title={content}>
      {content}
    </span>
  );
}

export function PromptCell({ entry }: { readonly entry: LogEntry }) {
  const t = useCellText();
  const { facts } = entry;
  const all = inputTokensOf(entry, facts);
  if (all === 0) return null;
  const cached = facts.cache_tokens ?? 0;
  return (
    <>
      {numberText(all)}
      {cached > 0 && (
        <span
          className={classes.cached}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: the hint must be reachable by keyboard
          tabIndex={0}
          data-hint={t('log.cached', { tokens: numberText(cached) })}
        >
          {Math.round((cached / all) * 100)}%
        </span>
      )}
    </>
  );
}

/** Channels in the order they were tried, if more than one. */
export function RetryCell({ channels }: { readonly channels: readonly string[] }) {
  if (channels.length < 2) return null;
  return (
    <div className={`${classes.channels} ${cells.clipped}`} data-hint={channels.join(' → ')}>
      {channels.map((id, index) => (
        <Fragment key={`${index} ${id}`}>
          {index > 0 && <IconChevronRight size={10} aria-hidden />}
          {id}
        </Fragment>
      ))}
    </div>
  );
}

interface CellButtonProps {
  readonly text: string;
  readonly onClick: (event: MouseEvent) => void;
}

export function CellButton({ text, onClick }: CellButtonProps) {
  return (
    <button type="button" className={classes.cell} title={text} onClick={onClick}>
      <span className={cells.clipped}>{text}</span>
    </button>
  );
}

/** Duration and time to the first token, in grey for a failed call; the bar shows the share spent waiting. */
export function TimeCell({ entry }: { readonly entry: LogEntry }) {
  const t = useCellText();
  const ms = tookMs(entry);
  const firstMs = entry.is_stream ? firstTokenMs(entry) : undefined;
  const isError = entry.type === LOG_TYPE.error;
  const waiting = firstMs === undefined ? 1 : Math.min(1, firstMs / ms);
  return (
    <div className={classes.took}>
      <div className={classes.times}>
        <Tag
          tone={isError ? 'grey' : tookTone(ms)}
          hint={`${t('log.useTime.total')} · ${durationText(ms)}`}
        >
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

/** A one-line summary of an entry: the pricing, the error or the action. */
export function summaryText(t: TFunction, entry: LogEntry): string {
  const { facts } = entry;
  if (entry.type === LOG_TYPE.error) {
    return [facts.status_code, entry.content].filter(Boolean).join(' ');
  }
  if (entry.type !== LOG_TYPE.consume || entry.content !== '') return entry.content;
  const { model_price: perCall = -1, model_ratio } = facts;
  const ratio = ratioText(recordedGroupRatio(facts).groupRatio);
  if (perCall >= 0) return t('log.summary.perCall', { price: priceText(perCall), ratio });
  if (model_ratio === undefined) return '-';
  return t('log.summary.perToken', { price: priceText(model_ratio * 2), ratio });
}
