# syntax=docker/dockerfile:1
# The gateway as an image: docs/operations.md, "Containers".
ARG NODE=node:24.11.1-bookworm-slim

FROM ${NODE} AS build
WORKDIR /build
# python3, make and g++ are for platforms without a prebuilt SQLite driver.
RUN apt-get update \
 && apt-get install -y --no-install-recommends python3 make g++ \
 && rm -rf /var/lib/apt/lists/*
COPY package.json package-lock.json ./
RUN npm ci
COPY build.mjs tsconfig.json ./
COPY bin bin
COPY docs/site.schema.json docs/site.schema.json
COPY migrations migrations
COPY src src
COPY web web
RUN npm run build && npm prune --omit=dev

FROM ${NODE}
LABEL org.opencontainers.image.title="AI Model Gateway" \
      org.opencontainers.image.licenses="MIT"
ENV NODE_ENV=production \
    GATEWAY_DATA=/data \
    GATEWAY_HOST=0.0.0.0 \
    GATEWAY_PORT=3000
WORKDIR /app
COPY --from=build /build/package.json ./
COPY --from=build /build/node_modules node_modules
COPY --from=build /build/bin bin
COPY --from=build /build/dist dist
COPY LICENSE ./
RUN ln -s /app/bin/gateway.js /usr/local/bin/gateway \
 && install -d -o node -g node -m 0700 /data
USER node
VOLUME /data
EXPOSE 3000
# Alive, not ready: a node that drains must not be killed for it.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.GATEWAY_PORT + '/health/live').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# Node itself is the first process: it hears SIGTERM and drains.
ENTRYPOINT ["node", "/app/bin/gateway.js"]
CMD ["serve"]
