/** The actions of a row from a table by key: an icon and, for common ones, the label come with it. */
import {
  IconArrowBarToUp,
  IconCopy,
  IconCopyPlus,
  IconEye,
  IconFileInvoice,
  IconKey,
  IconListCheck,
  IconListDetails,
  IconMessageCircle,
  IconQrcode,
  IconReceipt,
  IconToggleLeft,
  IconToggleRight,
  IconTrash,
  IconUserDown,
  IconUserUp,
  IconWallet,
} from '@tabler/icons-react';
import type { TFunction } from 'i18next';
import type { RowAction } from './columns.ts';
import { RowIcon } from './RowIcon.tsx';

const SIZE = { size: 16 };

/** Shared by all rows. */
const ICONS = {
  balance: <IconWallet {...SIZE} />,
  chat: <IconMessageCircle {...SIZE} />,
  copy: <IconCopy {...SIZE} />,
  delete: <IconTrash {...SIZE} />,
  demote: <IconUserDown {...SIZE} />,
  disable: <RowIcon name="ban" />,
  duplicate: <IconCopyPlus {...SIZE} />,
  edit: <RowIcon name="edit" />,
  enable: <RowIcon name="circleCheck" />,
  inspect: <RowIcon name="listSearch" />,
  logs: <IconReceipt {...SIZE} />,
  models: <IconListDetails {...SIZE} />,
  off: <IconToggleLeft {...SIZE} />,
  on: <IconToggleRight {...SIZE} />,
  promote: <IconUserUp {...SIZE} />,
  qr: <IconQrcode {...SIZE} />,
  raise: <IconArrowBarToUp {...SIZE} />,
  statement: <IconFileInvoice {...SIZE} />,
  test: <RowIcon name="play" />,
  testModels: <IconListCheck {...SIZE} />,
  tokens: <IconKey {...SIZE} />,
  use: <RowIcon name="code" />,
  view: <IconEye {...SIZE} />,
} as const;

type Key = keyof typeof ICONS;

const LABELS = {
  delete: 'action.delete',
  disable: 'action.disable',
  edit: 'action.edit',
  enable: 'action.enable',
  logs: 'common.viewLogs',
  view: 'action.view',
} as const;

type Row = Omit<RowAction, 'key' | 'icon' | 'label'>;
type Rows = {
  readonly [K in Key]?:
    | (Row &
        (K extends keyof typeof LABELS ? { readonly label?: string } : { readonly label: string }))
    | undefined;
};

/** In the order of the table, without undefined rows; deleting is always marked as dangerous. */
export function rowActions(t: TFunction, rows: Rows): readonly RowAction[] {
  return Object.entries(rows).flatMap(([name, row]) => {
    const key = name as Key; // the keys of the table
    if (row === undefined) return [];
    const label = row.label ?? (key in LABELS ? t(LABELS[key as keyof typeof LABELS]) : '');
    return [{ key, icon: ICONS[key], isDanger: key === 'delete', ...row, label }];
  });
}
