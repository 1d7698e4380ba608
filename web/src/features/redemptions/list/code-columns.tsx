import { Anchor } from '@mantine/core';
import type { TFunction } from 'i18next';
import { Link } from 'react-router-dom';
import type { RedemptionState } from '../../../../../src/domain/redemption-state.ts';
import cells from '../../../components/data-table/cells.module.css';
import type { Column } from '../../../components/data-table/columns.ts';
import { QuotaText } from '../../../components/display/QuotaText.tsx';
import { RelativeTime } from '../../../components/display/RelativeTime.tsx';
import { SecretText } from '../../../components/display/SecretText.tsx';
import { StateTag } from '../../../components/display/StatusBadge.tsx';
import { Tag } from '../../../components/display/Tag.tsx';
import type { Tone } from '../../../components/display/tones.ts';
import { linkTo } from '../../../lib/browser/page-links.ts';
import { useCellText } from '../../../lib/text/cell-text.ts';
import { dateTimeText } from '../../../lib/text/dates.ts';
import type { Redemption } from '../calls.ts';

export function redemptionColumns(t: TFunction): readonly Column<Redemption>[] {
  return [...codeColumns(t), ...redeemingColumns(t)];
}

/** Name, key, status, type and quota. */
function codeColumns(t: TFunction): readonly Column<Redemption>[] {
  return [
    {
      key: 'id',
      title: t('common.id'),
      width: 48,
      priority: 1,
      card: 'none',
      whole: ({ id }) => String(id),
      render: ({ id }) => id,
    },
    {
      key: 'name',
      title: t('common.name'),
      width: 140,
      isWide: true,
      isFixed: true,
      card: 'title',
      render: ({ name }) => (
        <span className={`${cells.clipped} ${cells.strong}`} title={name}>
          {name}
        </span>
      ),
    },
    {
      key: 'key',
      title: t('redemption.key'),
      width: 150,
      render: ({ key }) => (
        <SecretText secret={key} masked={shortMask(key)} label={t('redemption.copyKey')} />
      ),
    },
    {
      key: 'status',
      title: t('common.status'),
      width: 100,
      align: 'center',
      card: 'status',
      render: ({ state }) => <CodeState state={state} />,
    },
    {
      key: 'is_gift',
      title: t('common.type'),
      width: 76,
      priority: 4,
      align: 'center',
      card: 'none',
      render: ({ is_gift }) => <CodeKindTag isGift={is_gift} />,
    },
    {
      key: 'quota',
      title: t('common.quota'),
      width: 84,
      align: 'right',
      render: ({ quota }) => <QuotaText units={quota} />,
    },
  ];
}

/** Uses, validity, creation and redeemers. */
function redeemingColumns(t: TFunction): readonly Column<Redemption>[] {
  return [
    {
      key: 'used_count',
      title: t('redemption.uses'),
      width: 94,
      priority: 5,
      align: 'right',
      whole: (code) => usesText(t, code),
      render: (code) => <Uses code={code} />,
    },
    {
      key: 'valid',
      title: t('redemption.valid'),
      width: 136,
      render: (code) => <ValidTime code={code} />,
    },
    {
      key: 'created_time',
      title: t('common.created'),
      width: 90,
      priority: 2,
      card: 'none',
      render: ({ created_time }) => <RelativeTime at={created_time} />,
    },
    {
      key: 'used_user_id',
      title: t('redemption.usedBy'),
      width: 66,
      priority: 3,
      card: 'none',
      whole: ({ used_user_id: id }) => (id === 0 ? undefined : `#${id}`),
      render: ({ used_user_id }) => <UserLink id={used_user_id} />,
    },
  ];
}

/** A shorter mask than elsewhere, because the table has many columns. */
function shortMask(key: string): string {
  return `${key.slice(0, 4)}••••${key.slice(-2)}`;
}

export function CodeKindTag({ isGift }: { readonly isGift: boolean }) {
  const t = useCellText();
  return (
    <Tag tone={isGift ? 'violet' : 'blue'}>
      {t(isGift ? 'redemption.gift' : 'redemption.plain')}
    </Tag>
  );
}

export function Uses({ code }: { readonly code: Redemption }) {
  const t = useCellText();
  return <span className={cells.line}>{usesText(t, code)}</span>;
}

function usesText(t: TFunction, { is_gift, used_count, max_uses }: Redemption): string {
  const most = is_gift ? (max_uses > 0 ? max_uses : t('redemption.unlimited')) : 1;
  return `${used_count} / ${most}`;
}

const STATE_LOOKS: Record<RedemptionState, readonly [Tone, 'dot' | 'slash' | 'warning']> = {
  unused: ['green', 'dot'],
  upcoming: ['blue', 'dot'],
  expired: ['yellow', 'warning'],
  used: ['grey', 'slash'],
  disabled: ['red', 'slash'],
};

export function CodeState({ state }: { readonly state: RedemptionState }) {
  const t = useCellText();
  const [tone, shape] = STATE_LOOKS[state];
  return (
    <StateTag tone={tone} shape={shape}>
      {t(`status.redemption.${state}`)}
    </StateTag>
  );
}

/** Without seconds, so that it fits; the hint has them. */
function minuteText(epochSec: number): string {
  return dateTimeText(epochSec).slice(0, -':00'.length);
}

/** Start and end of validity; an open end is described in words, a past one is marked in red. */
export function ValidTime({ code }: { readonly code: Redemption }) {
  const t = useCellText();
  const { valid_from, valid_until } = code;
  const isOver = code.state === 'expired';
  const exact = [valid_from, valid_until].map((at) => (at === 0 ? '-' : dateTimeText(at)));
  if (valid_from === 0 && valid_until === 0)
    return <span className={cells.dimmed}>{t('redemption.always')}</span>;
  return (
    <div className={cells.pair} title={exact.join(' – ')}>
      <span>{valid_from === 0 ? t('redemption.fromNow') : minuteText(valid_from)}</span>
      <span className={isOver ? cells.bad : undefined}>
        {valid_until === 0
          ? t('redemption.never')
          : t('redemption.until', { time: minuteText(valid_until) })}
      </span>
    </div>
  );
}

/** 0 is no user. */
export function UserLink({ id }: { readonly id: number }) {
  const t = useCellText();
  if (id === 0) return <span className={cells.dimmed}>{t('common.none')}</span>;
  return (
    <Anchor component={Link} to={linkTo('/admin/users', { id: String(id) })} inherit>
      #{id}
    </Anchor>
  );
}
