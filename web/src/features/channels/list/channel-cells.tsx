/** Table cells with more than plain text. */

import { Text, UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import type { TFunction } from 'i18next';
import { CHANNEL_STATUS } from '../../../../../src/domain/statuses.ts';
import { splitList } from '../../../../../src/domain/text/comma-list.ts';
import { RowSwitch } from '../../../components/data-table/RowSwitch.tsx';
import { Dimmed } from '../../../components/display/Dimmed.tsx';
import { EntriesLink } from '../../../components/display/EntriesLink.tsx';
import { QuotaText } from '../../../components/display/QuotaText.tsx';
import { StateTag, StatusBadge } from '../../../components/display/StatusBadge.tsx';
import { Tag } from '../../../components/display/Tag.tsx';
import { channelTypeName, GroupTag } from '../../../components/display/tag-lists.tsx';
import { responseTone } from '../../../components/display/tones.ts';
import { usePrivacy } from '../../../lib/display/privacy.ts';
import { useCellText } from '../../../lib/text/cell-text.ts';
import { dateTimeText, durationText } from '../../../lib/text/dates.ts';
import { listText } from '../../../lib/text/lists.ts';
import type { Channel } from '../calls.ts';
import classes from './ChannelCells.module.css';
import { countOn, meanResponse, sumOf, type TagRow } from './channel-rows.ts';
import { statusInfoOf } from './status-info.ts';

interface NameProps {
  readonly channel: Channel;
  readonly isChild: boolean;
  readonly onOpen: () => void;
}

export function ChannelName({ channel, isChild, onOpen }: NameProps) {
  const t = useCellText();
  const hasTag = channel.tag !== '' && !isChild;
  const facts = [...(hasTag ? [channel.tag] : []), ...factsOf(t, channel)].join(' · ');
  return (
    <div className={`${classes.channel} ${isChild ? classes.child : ''}`}>
      <button type="button" className={classes.button} onClick={onOpen} title={channel.name}>
        <span className={hasTag ? classes.oneLine : classes.twoLines}>{channel.name}</span>
      </button>
      {hasTag && (
        <span className={classes.tag} title={channel.tag}>
          {channel.tag}
        </span>
      )}
      <span className={classes.facts} title={facts}>
        {facts}
      </span>
    </div>
  );
}

/** What the columns say that a narrow table hides. */
function factsOf(t: TFunction, { type, group, models }: Channel): string[] {
  return [
    channelTypeName(type) ?? t('part.type', { type }),
    listText(splitList(group)),
    t('channel.models.count', { count: splitList(models).length }),
  ];
}

export function TagName({
  row,
  onToggle,
}: {
  readonly row: TagRow;
  readonly onToggle: () => void;
}) {
  const t = useCellText();
  const Chevron = row.isOpen ? IconChevronDown : IconChevronRight;
  return (
    <UnstyledButton
      className={classes.name}
      aria-expanded={row.isOpen}
      onClick={onToggle}
      title={row.tag}
    >
      <Chevron size={16} aria-hidden className={classes.chevron} />
      <span className={classes.channel}>
        <Text span inherit fw={600} className={classes.oneLine}>
          {row.tag}
        </Text>
        <Dimmed span>{t('channel.tag.count', { count: row.channels.length })}</Dimmed>
      </span>
    </UnstyledButton>
  );
}

/** The first group by name, and the number of others. */
export function GroupTags({ groups }: { readonly groups: readonly string[] }) {
  const [first, ...rest] = groups;
  if (first === undefined) return <span>-</span>;
  if (rest.length === 0) return <GroupTag group={first} />;
  return (
    <Tag hint={listText(groups)}>
      {first} +{rest.length}
    </Tag>
  );
}

interface StatusProps {
  readonly channel: Channel;
  readonly onSwitch: (isOn: boolean) => void;
}

export function ChannelStatus({ channel, onSwitch }: StatusProps) {
  const t = useCellText();
  const isOn = channel.status === CHANNEL_STATUS.enabled;
  const { reason, at } = statusInfoOf(channel.other_info);
  const because = [at > 0 && dateTimeText(at), reason].filter(Boolean).join(' · ');
  return (
    <span className={classes.status}>
      <RowSwitch
        isOn={isOn}
        label={t('channel.switch', { name: channel.name })}
        onSwitch={onSwitch}
      />
      <StatusWord channel={channel} because={because} />
    </span>
  );
}

interface StatusWordProps {
  readonly channel: Channel;
  /** When and why it was disabled; '' if neither is known. */
  readonly because: string;
}

/** An enabled channel that is failing shows that instead; one that was never called is grey. */
function StatusWord({ channel, because }: StatusWordProps) {
  const t = useCellText();
  const { health, status } = channel;
  if (health === 'failing')
    return (
      <StateTag tone="red" shape="warning" hint={failureText(t, channel)}>
        {t('channel.state.failing')}
      </StateTag>
    );
  const on = channel.keys.filter((key) => key.status === CHANNEL_STATUS.enabled).length;
  if (status === CHANNEL_STATUS.enabled && on < channel.keys.length)
    return (
      <StateTag tone="yellow" shape="warning" hint={keysOffText(channel)}>
        {t('channel.state.keys', { on, total: channel.keys.length })}
      </StateTag>
    );
  if (health === 'unknown')
    return (
      <StateTag tone="grey" hint={t('channel.state.unknownHint')}>
        {t('status.channel.enabled')}
      </StateTag>
    );
  const hint = status === CHANNEL_STATUS.enabled || because === '' ? undefined : because;
  return <StatusBadge of="channel" status={status} hint={hint} />;
}

/** The keys that are off, each with since when and why. */
function keysOffText({ keys }: Channel): string {
  return keys
    .filter(({ status }) => status !== CHANNEL_STATUS.enabled)
    .map(({ hint, disabled_at: at, reason }) =>
      [hint, at > 0 && dateTimeText(at), reason].filter(Boolean).join(' · '),
    )
    .join('\n');
}

/** Since when it fails, then the latest failure. */
function failureText(t: TFunction, { failing_since, latest_outcome: latest }: Channel): string {
  const since = t('channel.failingSince', { time: dateTimeText(failing_since) });
  if (latest === null || latest.ok) return since;
  const facts = [dateTimeText(latest.at_ms / 1000), durationText(latest.latency_ms)];
  return [since, [...facts, latest.message].filter(Boolean).join(' · ')].join('\n');
}

export function TagStatus({ row }: { readonly row: TagRow }) {
  const t = useCellText();
  const on = countOn(row.channels);
  const total = row.channels.length;
  const text = t('channel.tag.on', { on, total });
  const failing = row.channels.filter(({ health }) => health === 'failing');
  if (failing.length > 0)
    return (
      <StateTag
        tone="red"
        shape="warning"
        hint={t('channel.tag.failing', { names: failing.map(({ name }) => name) })}
      >
        {text}
      </StateTag>
    );
  if (on === total) return <StateTag tone="green">{text}</StateTag>;
  return (
    <StateTag tone={on === 0 ? 'red' : 'yellow'} shape={on === 0 ? 'slash' : 'warning'}>
      {text}
    </StateTag>
  );
}

/** The duration of the latest test, or that it failed. */
export function ResponseTime({ channel }: { readonly channel: Channel }) {
  const t = useCellText();
  const { response_time: ms, test_time: at, test_ok: isOk } = channel;
  const hint = at > 0 ? t('channel.testedAt', { time: dateTimeText(at) }) : undefined;
  if (isOk === false) return <FailedTest hint={[hint, durationText(ms)].join(' · ')} />;
  return <TimeTag ms={ms} hint={hint} />;
}

/** The mean of the successful tests. */
export function TagResponse({ row }: { readonly row: TagRow }) {
  const failed = row.channels.filter(({ test_ok }) => test_ok === false);
  const ms = meanResponse(row.channels.filter((one) => !failed.includes(one)));
  if (ms === 0 && failed.length > 0)
    return <FailedTest hint={listText(failed.map(({ name }) => name))} />;
  return <TimeTag ms={ms} />;
}

function FailedTest({ hint }: { readonly hint: string }) {
  const t = useCellText();
  return (
    <Tag tone="red" hint={hint}>
      {t('channel.results.failed')}
    </Tag>
  );
}

function TimeTag({ ms, hint }: { readonly ms: number; readonly hint?: string | undefined }) {
  const t = useCellText();
  return (
    <Tag tone={responseTone(ms)} hint={hint}>
      {ms === 0 ? t('channel.untested') : durationText(ms)}
    </Tag>
  );
}

interface MoneyProps {
  readonly channel: Channel;
  readonly onRefresh: () => void;
}

/** Of an enabled channel, in its currency. */
const LOW_BALANCE = 1;

/** The quota charged through the channel, and the upstream's balance; a press refreshes it. */
export function UsedAndLeft({ channel, onRefresh }: MoneyProps) {
  const t = useCellText();
  const isHidden = usePrivacy();
  const { balance, balance_currency: currency, balance_updated_time: at } = channel;
  const left = isHidden ? '•••' : balanceText(balance, currency);
  const isRead = at > 0;
  const isLow = isRead && balance < LOW_BALANCE && channel.status === CHANNEL_STATUS.enabled;
  return (
    <span className={classes.money}>
      <EntriesLink channel={channel.id}>
        <QuotaText units={channel.used_quota} isPrivate />
      </EntriesLink>
      <button
        type="button"
        className={classes.quiet}
        data-low={isLow || undefined}
        data-hint={
          isRead
            ? `${left}${isLow ? `\n${t('channel.balance.low')}` : ''}\n${t('channel.balance.at', { time: dateTimeText(at) })}`
            : t('channel.balance.never')
        }
        aria-label={
          isRead
            ? `${left} ${isLow ? `${t('channel.balance.low')} ` : ''}${t('channel.balance.refresh', { name: channel.name })}`
            : `${t('channel.balance.read')} ${channel.name}`
        }
        onClick={(event) => {
          event.stopPropagation();
          onRefresh();
        }}
      >
        {isRead ? left : t('channel.balance.read')}
      </button>
    </span>
  );
}

const CENTS = new Intl.NumberFormat('en-US', {
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
});

/** Dollars with their sign, other currencies with their code. */
export function balanceText(balance: number, currency: string): string {
  const number = CENTS.format(balance);
  return currency === '' || currency === 'USD'
    ? `$${number}`.replace('$-', '-$')
    : `${number} ${currency}`;
}

export function TagUsage({ row }: { readonly row: TagRow }) {
  return (
    <EntriesLink tag={row.tag}>
      <QuotaText units={sumOf(row.channels, (one) => one.used_quota)} isPrivate />
    </EntriesLink>
  );
}

export function modelsOf(channel: Channel): string[] {
  return splitList(channel.models);
}
