// What a call enqueues on a stream, found by capturing it. (Not in the emulator, which has no
// graphs.)
#pragma once

#if !defined(TESSERA_EMULATOR)

#include <cuda_runtime.h>

#include <cstddef>
#include <vector>

#include "cuda_resources.hpp"

namespace tessera::support {

// The nodes that `enqueue` adds to a stream.
template <class F>
[[nodiscard]] std::vector<cudaGraphNodeType> enqueued(cudaStream_t stream, const F& enqueue) {
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), "begin capture");
  enqueue();
  cudaGraph_t graph = nullptr;
  check(cudaStreamEndCapture(stream, &graph), "end capture");
  std::size_t count = 0;
  check(cudaGraphGetNodes(graph, nullptr, &count), "count nodes");
  std::vector<cudaGraphNode_t> nodes(count);
  if (count > 0) check(cudaGraphGetNodes(graph, nodes.data(), &count), "get nodes");
  std::vector<cudaGraphNodeType> types(count);
  for (std::size_t i = 0; i < count; ++i) {
    check(cudaGraphNodeGetType(nodes[i], &types[i]), "type of a node");
  }
  check(cudaGraphDestroy(graph), "destroy graph");
  return types;
}

}  // namespace tessera::support

#endif
