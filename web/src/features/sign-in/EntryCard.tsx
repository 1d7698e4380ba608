import { Anchor, Card, Container, Group, Stack, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router-dom';
import { Dimmed } from '../../components/display/Dimmed.tsx';
import { Logo } from '../../components/display/Logo.tsx';
import { usePageTitle } from '../../components/layout/PageHeader.tsx';

interface EntryCardProps {
  readonly title: string;
  readonly hint?: ReactNode;
  /** Links to the related pages. */
  readonly links?: readonly { readonly to: string; readonly text: string }[];
  readonly children: ReactNode;
}

/** The card of the sign-in, registration and reset pages. */
export function EntryCard({ title, hint, links = [], children }: EntryCardProps) {
  usePageTitle(title);
  return (
    <Container size={400} px={0} pt="6vh" pb="lg">
      <Card p={{ base: 20, xs: 'xl' }}>
        <Stack gap={6} align="center" mb="lg">
          <Logo size={40} />
          <Title order={1} mt={4}>
            {title}
          </Title>
          {hint !== undefined && (
            <Dimmed size="sm" ta="center">
              {hint}
            </Dimmed>
          )}
        </Stack>
        {children}
        {links.length > 0 && (
          <Group gap="md" justify={links.length > 1 ? 'space-between' : 'center'} mt="lg">
            {links.map(({ to, text }) => (
              <Anchor key={to} component={Link} to={to}>
                {text}
              </Anchor>
            ))}
          </Group>
        )}
      </Card>
    </Container>
  );
}
