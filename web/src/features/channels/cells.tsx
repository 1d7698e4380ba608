/** The table's cells that are more than one word. */
import { Text, UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { splitList } from '../../../../src/domain/comma-list.ts';
import { CHANNEL_STATUS } from '../../../../src/domain/statuses.ts';
import { useCellText } from '../../lib/cell-text.ts';
import { dateTimeText, durationText } from '../../lib/dates.ts';
import { usePrivacy } from '../../lib/privacy.ts';
import { QuotaText } from '../../parts/QuotaText.tsx';
import { RowSwitch } from '../../parts/RowSwitch.tsx';
import { StateTag, StatusBadge } from '../../parts/StatusBadge.tsx';
import { Tag } from '../../parts/Tag.tsx';
import { GroupTag } from '../../parts/tags.tsx';
import { responseTone } from '../../parts/tones.ts';
import classes from './Cells.module.css';
import type { Channel } from './calls.ts';
import { countOn, meanResponse, sum, type TagLine } from './grid-rows.ts';
import { statusInfoOf } from './status-info.ts';

interface NameProps {
  readonly channel: Channel;
  readonly isChild: boolean;
  readonly onOpen: () => void;
}

export function ChannelName({ channel, isChild, onOpen }: NameProps) {
  return (
    <div className={`${classes.name} ${isChild ? classes.child : ''}`}>
      <button type="button" className={classes.button} onClick={onOpen} title={channel.name}>
        {channel.name}
      </button>
      {channel.tag !== '' && !isChild && (
        <span className={classes.tag}>
          <Tag tone="violet" hint={channel.tag}>
            {channel.tag}
          </Tag>
        </span>
      )}
    </div>
  );
}

export function TagName({
  line,
  onToggle,
}: {
  readonly line: TagLine;
  readonly onToggle: () => void;
}) {
  const t = useCellText();
  const Chevron = line.isOpen ? IconChevronDown : IconChevronRight;
  return (
    <UnstyledButton
      className={classes.name}
      aria-expanded={line.isOpen}
      onClick={onToggle}
      title={line.tag}
    >
      <Chevron size={16} aria-hidden className={classes.chevron} />
      <Text span size="sm" fw={600} truncate miw={0}>
        {line.tag}
      </Text>
      <Text span size="xs" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
        {t('channel.tag.count', { count: line.channels.length })}
      </Text>
    </UnstyledButton>
  );
}

/** The first group by name, the others by number. */
export function Groups({ groups }: { readonly groups: readonly string[] }) {
  const [first, ...rest] = groups;
  if (first === undefined) return <span>-</span>;
  if (rest.length === 0) return <GroupTag group={first} />;
  return (
    <Tag hint={groups.join(', ')}>
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
      <StatusBadge
        of="channel"
        status={channel.status}
        hint={isOn || because === '' ? undefined : because}
      />
    </span>
  );
}

export function TagStatus({ line }: { readonly line: TagLine }) {
  const t = useCellText();
  const on = countOn(line.channels);
  const total = line.channels.length;
  const text = t('channel.tag.on', { on, total });
  if (on === total) return <StateTag tone="green">{text}</StateTag>;
  return (
    <StateTag tone={on === 0 ? 'red' : 'yellow'} shape={on === 0 ? 'slash' : 'warning'}>
      {text}
    </StateTag>
  );
}

export function ResponseTime({
  ms,
  testedAt,
}: {
  readonly ms: number;
  readonly testedAt?: number;
}) {
  const t = useCellText();
  const tested = testedAt !== undefined && testedAt > 0 ? dateTimeText(testedAt) : undefined;
  return (
    <Tag tone={responseTone(ms)} hint={tested && t('channel.testedAt', { time: tested })}>
      {ms === 0 ? t('channel.untested') : durationText(ms)}
    </Tag>
  );
}

interface MoneyProps {
  readonly channel: Channel;
  readonly onRefresh: () => void;
}

/** What the gateway charged through it, and what the upstream says is left; a press asks again. */
export function UsedAndLeft({ channel, onRefresh }: MoneyProps) {
  const t = useCellText();
  const isHidden = usePrivacy();
  const { balance, balance_currency: currency, balance_updated_time: at } = channel;
  const left = isHidden ? '•••' : balanceText(balance, currency);
  return (
    <span className={classes.money}>
      <QuotaText units={channel.used_quota} isPrivate />
      <button
        type="button"
        className={classes.quiet}
        data-hint={
          at > 0
            ? `${left}\n${t('channel.balance.at', { time: dateTimeText(at) })}`
            : t('channel.balance.never')
        }
        aria-label={`${at > 0 ? left : '-'} ${t('channel.balance.refresh', { name: channel.name })}`}
        onClick={(event) => {
          event.stopPropagation();
          onRefresh();
        }}
      >
        {at > 0 ? left : '-'}
      </button>
    </span>
  );
}

const CENTS = new Intl.NumberFormat('en-US', {
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
});

/** Dollars with their sign, anything else with its name. */
export function balanceText(balance: number, currency: string): string {
  const number = CENTS.format(balance);
  return currency === '' || currency === 'USD'
    ? `$${number}`.replace('$-', '-$')
    : `${number} ${currency}`;
}

export function TagMoney({ line }: { readonly line: TagLine }) {
  return <QuotaText units={sum(line.channels, (one) => one.used_quota)} isPrivate />;
}

export function TagResponse({ line }: { readonly line: TagLine }) {
  return <ResponseTime ms={meanResponse(line.channels)} />;
}

export function modelsOf(channel: Channel): string[] {
  return splitList(channel.models);
}
