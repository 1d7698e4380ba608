import { Button, Group, Modal, Stack, Table } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { numberText } from '../../../../src/domain/text/number-text.ts';
import { Notice } from '../../components/display/Notice.tsx';
import { SideButton } from '../../components/display/SideButton.tsx';
import { problemText } from '../../components/forms/call-problem.ts';
import { useAction } from '../../hooks/useAction.ts';
import { walletKeys } from '../../lib/api/query-keys.ts';
import { wallet } from './calls.ts';
import { Payable, type PayableState } from './Payable.tsx';

interface PayDialogProps {
  readonly wanted: Wanted | undefined;
  readonly payable: PayableState;
  readonly isCurrency: boolean;
  readonly onClose: () => void;
  readonly onPaying: () => void;
}

/** A summary of the payment before the user is redirected: amount, price and method. */
export function PayDialog(props: PayDialogProps) {
  const { t } = useTranslation();
  const { wanted, onClose } = props;
  return (
    <Modal opened={wanted !== undefined} onClose={onClose} size={420} title={t('wallet.pay.title')}>
      {wanted && <Content {...props} wanted={wanted} />}
    </Modal>
  );
}

function Content({
  wanted,
  payable,
  isCurrency,
  onClose,
  onPaying,
}: PayDialogProps & { readonly wanted: Wanted }) {
  const { t } = useTranslation();
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const amount = numberText(wanted.amount);
  const pay = useAction(
    ({ method, ...order }: Wanted) => wallet.pay({ ...order, payment_method: method }),
    {
      onFailed: () => undefined,
      touches: [walletKeys],
      onDone: ({ message, data, url = '' }) => {
        if (message === 'success' && typeof data !== 'string' && submitPayForm(url, data)) {
          onPaying();
          onClose();
        } else setProblem(typeof data === 'string' ? data : '');
      },
    },
  );
  const reason = pay.error ? problemText(t, pay.error) : problem;
  const rows = [
    { key: 'amount', name: t('wallet.pay.amount'), value: isCurrency ? `$${amount}` : amount },
    { key: 'method', name: t('wallet.topUp.method'), value: t(`wallet.method.${wanted.method}`) },
    { key: 'money', name: t('wallet.topUp.payable'), value: <Payable payable={payable} isBare /> },
  ];
  return (
    <Stack gap="md">
      {reason !== undefined && (
        <Notice tone="red" title={t('wallet.pay.failed')}>
          {reason !== '' && reason}
        </Notice>
      )}
      <Table variant="vertical" layout="fixed">
        <Table.Tbody>
          {rows.map(({ key, name, value }) => (
            <Table.Tr key={key}>
              <Table.Th w={150}>{name}</Table.Th>
              <Table.Td>{value}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Group justify="flex-end">
        <SideButton label={t('action.cancel')} onClick={onClose} />
        <Button
          data-autofocus
          loading={pay.isPending}
          disabled={payable.isPending}
          onClick={() => pay.mutate(wanted)}
        >
          {t('wallet.pay.go')}
        </Button>
      </Group>
    </Stack>
  );
}

/** The payment method, in the API's terms. */
export type PaymentMethod = 'zfb' | 'wx';

/** A top-up for which to open the payment page. */
export interface Wanted {
  readonly amount: number;
  readonly method: PaymentMethod;
  /** Always sent; empty if there is none. */
  readonly top_up_code: string;
}

/**
 * Opens the payment page by posting a form into a new tab, as payment providers require. Refuses
 * anything but a web address.
 */
export function submitPayForm(url: string, fields: Readonly<Record<string, string>>): boolean {
  if (!/^https?:\/\//i.test(url)) return false;
  const form = document.createElement('form');
  form.method = 'post';
  form.action = url;
  form.target = '_blank';
  form.rel = 'noopener';
  form.hidden = true;
  for (const [name, value] of Object.entries(fields)) {
    const input = document.createElement('input');
    input.type = 'hidden';
    input.name = name;
    input.value = value;
    form.append(input);
  }
  document.body.append(form);
  form.submit();
  form.remove();
  return true;
}
