#include "native/cli/launcher_environment.h"

#include <gtest/gtest.h>

#include <map>

namespace nns::cli {
namespace {

using Variables = std::map<std::string, std::string>;

Variables told(const Variables& set) {
  const auto found = rank_environment([&](const char* name) {
    const auto one = set.find(name);
    return one == set.end() ? std::string() : one->second;
  });
  return {found.begin(), found.end()};
}

TEST(FirstOfNodeList, IsTheFirstMachineOfASlurmStep) {
  EXPECT_EQ(first_of_node_list("alone"), "alone");
  EXPECT_EQ(first_of_node_list("a1,a2"), "a1");
  EXPECT_EQ(first_of_node_list("node[03-05,09],other"), "node03");
  EXPECT_EQ(first_of_node_list("rack[1-2]n[07,09].cluster"), "rack1n07.cluster");
  EXPECT_EQ(first_of_node_list("broken[1-"), "broken1");
  EXPECT_EQ(first_of_node_list(""), "");
}

TEST(RankEnvironment, WhatTorchrunSetsIsTakenAsItIs) {
  const Variables set = {{"RANK", "3"}, {"WORLD_SIZE", "4"}, {"MASTER_ADDR", "host"}, {"MASTER_PORT", "29500"}};
  EXPECT_EQ(told(set), set);
  EXPECT_EQ(told({}), Variables());
}

TEST(RankEnvironment, UnderSrunTheFirstMachineOfTheStepIsWhereRanksMeet) {
  Variables set = {{"SLURM_PROCID", "5"},    {"SLURM_STEP_NUM_TASKS", "8"}, {"SLURM_LOCALID", "1"},
                   {"SLURM_JOB_ID", "1234"}, {"SLURM_STEP_ID", "0"},        {"SLURM_STEP_NODELIST", "n[2-3]"}};
  Variables found = told(set);
  EXPECT_EQ(found["RANK"], "5");
  EXPECT_EQ(found["WORLD_SIZE"], "8");
  EXPECT_EQ(found["LOCAL_RANK"], "1");
  EXPECT_EQ(found["MASTER_ADDR"], "n2");
  const std::string port = found["MASTER_PORT"];
  set["SLURM_PROCID"] = "0";
  EXPECT_EQ(told(set)["MASTER_PORT"], port);
  set["SLURM_STEP_ID"] = "1";
  EXPECT_NE(told(set)["MASTER_PORT"], port);
  set["MASTER_PORT"] = "7000";
  EXPECT_EQ(told(set)["MASTER_PORT"], "7000");
}

TEST(RankEnvironment, AScriptThatSrunDidNotStartIsNoRank) {
  EXPECT_EQ(told({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "8"}, {"SLURM_JOB_NODELIST", "n[2-3]"}}), Variables());
  EXPECT_EQ(told({{"SLURM_PROCID", "0"}, {"SLURM_STEP_NUM_TASKS", "1"}, {"SLURM_STEP_NODELIST", "n2"}}), Variables());
  // Who says where to meet means ranks.
  EXPECT_EQ(told({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "8"}, {"MASTER_ADDR", "n2"}})["WORLD_SIZE"], "8");
}

TEST(RankEnvironment, UnderMpiRanksOfOneMachineMeetThere) {
  Variables set = {{"OMPI_COMM_WORLD_RANK", "1"},
                   {"OMPI_COMM_WORLD_SIZE", "2"},
                   {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                   {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
                   {"PMIX_NAMESPACE", "job7"}};
  Variables found = told(set);
  EXPECT_EQ(found["RANK"], "1");
  EXPECT_EQ(found["LOCAL_WORLD_SIZE"], "2");
  EXPECT_EQ(found["MASTER_ADDR"], "127.0.0.1");
  // On several machines nothing says where the first is.
  set["OMPI_COMM_WORLD_LOCAL_SIZE"] = "1";
  found = told(set);
  EXPECT_EQ(found["WORLD_SIZE"], "2");
  EXPECT_FALSE(found.contains("MASTER_ADDR"));
  EXPECT_EQ(told({{"PMI_RANK", "0"}, {"PMI_SIZE", "2"}, {"MPI_LOCALNRANKS", "2"}})["MASTER_ADDR"], "127.0.0.1");
}

}  // namespace
}  // namespace nns::cli
