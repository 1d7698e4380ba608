import { useCallbackRef } from '@mantine/hooks';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import type { Column, RowAction } from '../../components/data-table/columns.ts';
import { DataTable } from '../../components/data-table/DataTable.tsx';
import { CopyText } from '../../components/display/copy.tsx';
import { QuotaText } from '../../components/display/QuotaText.tsx';
import { FullTime } from '../../components/display/RelativeTime.tsx';
import { StateTag } from '../../components/display/StatusBadge.tsx';
import { Empty } from '../../components/layout/list-states.tsx';
import { useAction } from '../../hooks/useAction.ts';
import { type OnPage, useList } from '../../hooks/useList.ts';
import { walletKeys } from '../../lib/api/query-keys.ts';
import { STORED, useStored } from '../../lib/browser/stored.ts';
import { type Order, wallet } from './calls.ts';
import { submitPayForm } from './PayDialog.tsx';

interface OrdersProps {
  readonly page: number;
  readonly onPage: OnPage;
}

/** The payment orders; one that is not paid can be paid again or cancelled. */
export function Orders({ page, onPage }: OrdersProps) {
  const { t } = useTranslation();
  const actions = useOrderActions();
  const [pageSize, setPageSize] = useStored(STORED.pageSize);
  const query = { p: page, page_size: pageSize };
  const list = useList({
    key: walletKeys.part('orders', query),
    fetch: (signal) => wallet.orders(query, { signal }),
    onPage,
    setPageSize,
  });
  return (
    <DataTable
      {...list.tableProps}
      id="wallet-order"
      label={t('wallet.history.orders')}
      rowId={(order) => order.id}
      columns={orderColumns(t)}
      actions={actions}
      empty={<Empty title={t('wallet.history.none.orders')} />}
    />
  );
}

function orderColumns(t: TFunction): readonly Column<Order>[] {
  return [
    {
      key: 'trade_no',
      title: t('wallet.order.number'),
      card: 'title',
      render: ({ trade_no }) => <CopyText text={trade_no} label={t('wallet.order.copy')} />,
    },
    {
      key: 'status',
      title: t('wallet.order.status'),
      align: 'center',
      card: 'status',
      render: ({ status }) => <OrderState status={status} />,
    },
    {
      key: 'quota',
      title: t('wallet.history.amount'),
      align: 'right',
      render: ({ quota }) => <QuotaText units={quota} isPrivate />,
    },
    {
      key: 'money',
      title: t('wallet.order.money'),
      align: 'right',
      render: ({ money }) => `¥${money}`,
    },
    {
      key: 'method',
      title: t('wallet.topUp.method'),
      render: ({ method }) =>
        method === 'zfb' || method === 'wx' ? t(`wallet.method.${method}`) : method,
    },
    {
      key: 'create_time',
      title: t('wallet.history.time'),
      render: ({ create_time }) => <FullTime at={create_time} />,
    },
  ];
}

const STATES = {
  success: { tone: 'green', shape: 'dot', text: 'wallet.order.paid' },
  pending: { tone: 'orange', shape: 'warning', text: 'wallet.order.pending' },
  cancelled: { tone: 'grey', shape: 'slash', text: 'wallet.order.cancelled' },
} as const;

function OrderState({ status }: { readonly status: string }) {
  const { t } = useTranslation();
  const { tone, shape, text } =
    status === 'success' || status === 'cancelled' ? STATES[status] : STATES.pending;
  return (
    <StateTag tone={tone} shape={shape}>
      {t(text)}
    </StateTag>
  );
}

function useOrderActions(): (order: Order) => readonly RowAction[] {
  const { t } = useTranslation();
  const touches = [walletKeys];
  const pay = useAction(({ trade_no }: Order) => wallet.payOrder({ trade_no }), {
    touches,
    onDone: ({ url, fields }) => submitPayForm(url, fields),
  });
  const cancel = useAction(({ trade_no }: Order) => wallet.cancelOrder({ trade_no }), {
    touches,
    done: () => t('wallet.order.cancelDone'),
    confirm: ({ trade_no }) => ({
      title: t('wallet.order.cancelAsk', { number: trade_no }),
      text: t('wallet.order.cancelText'),
      verb: t('wallet.order.cancel'),
    }),
  });
  return useCallbackRef((order) =>
    order.status === 'success'
      ? []
      : [
          { key: 'pay', label: t('wallet.order.pay'), onClick: () => void pay.run(order) },
          ...(order.status === 'pending'
            ? [
                {
                  key: 'cancel',
                  label: t('wallet.order.cancel'),
                  onClick: () => void cancel.run(order),
                },
              ]
            : []),
        ],
  );
}
