import { Anchor, Checkbox, Code, Collapse, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { POST_KINDS, type PostKind } from '../../../../src/domain/notification-kinds.ts';
import { Dimmed } from '../display/Dimmed.tsx';

/** The fields of a form with the address of a service. */
export interface AddressValues {
  readonly webhook_url: string;
  /** The stored secret is never returned: empty keeps it. */
  readonly webhook_secret: string;
  readonly drops_secret: boolean;
}

interface AddressForm {
  getInputProps(field: keyof AddressValues, options?: { type: 'checkbox' }): object;
  getValues(): AddressValues;
}

interface AddressProps {
  readonly form: AddressForm;
  readonly kind: PostKind;
  readonly hasSecret: boolean;
}

/** Where a webhook or a chat service is reached, and its secret. */
export function NotificationAddress({ form, kind, hasSecret }: AddressProps) {
  const { t } = useTranslation();
  const { example, isSigned } = POST_KINDS[kind];
  const isWebhook = kind === 'webhook';
  return (
    <>
      <TextInput
        {...form.getInputProps('webhook_url')}
        type="url"
        label={t(isWebhook ? 'part.notice.url' : 'part.notice.serviceUrl')}
        description={t(isWebhook ? 'part.notice.urlHint' : 'part.notice.serviceUrlHint')}
        placeholder={example}
      />
      {isSigned && (
        <Secret
          form={form}
          hasSecret={hasSecret}
          hint={t(isWebhook ? 'part.notice.secretHint' : 'part.notice.serviceSecretHint')}
        />
      )}
      {isWebhook && <Example />}
    </>
  );
}

interface SecretProps {
  readonly form: AddressForm;
  readonly hasSecret: boolean;
  readonly hint: string;
}

function Secret({ form, hasSecret, hint }: SecretProps) {
  const { t } = useTranslation();
  const { drops_secret } = form.getValues();
  return (
    <Stack gap="xs">
      <PasswordInput
        {...form.getInputProps('webhook_secret')}
        label={t('part.notice.secret')}
        description={hint}
        placeholder={hasSecret ? t('common.secretKept') : ''}
        disabled={drops_secret}
        autoComplete="off"
      />
      {hasSecret && (
        <Checkbox
          {...form.getInputProps('drops_secret', { type: 'checkbox' })}
          label={t('part.notice.dropSecret')}
        />
      )}
    </Stack>
  );
}

const BODY = `POST /notify
Authorization: Bearer <secret>
X-Webhook-Signature: <HMAC-SHA256(body, secret), hex>
Content-Type: application/json

{
  "type": "quota_exceed",
  "title": "Quota is running low",
  "content": "{{value}} is left. Top up: {{value}}",
  "values": ["$0.98", "https://example.com/app/wallet"],
  "timestamp": 1795000000
}`;

function Example() {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  return (
    <div>
      <Anchor
        component="button"
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {t(isOpen ? 'part.notice.hideExample' : 'part.notice.showExample')}
      </Anchor>
      <Collapse expanded={isOpen}>
        <Code
          block
          mt="xs"
          fz={12}
          tabIndex={isOpen ? 0 : -1}
          aria-label={t('part.notice.example')}
          style={{ overflowX: 'auto' }}
        >
          {BODY}
        </Code>
        <Dimmed mt={4}>{t('part.notice.exampleHint', { placeholder: '{{value}}' })}</Dimmed>
      </Collapse>
    </div>
  );
}
